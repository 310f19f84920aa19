import { get, post } from "../api";
import { beGuest } from "../identity";
import { keyOf } from "../place";
import type { NewTable, Rematch, TableInfo } from "../protocol";
import { cutBefore } from "../replay/record";
import { go } from "../route";
import { type Sitting, sitDown } from "../sitting";

const STAND_IN = "medium";

const act = (table: string, action: string): Promise<unknown> =>
  post(`/api/tables/${table}/actions`, { key: keyOf(0, 0), action });

/** Play again with the same seats: all people of this device sit down; if all are here it starts. */
export async function playAgain(info: TableInfo, people: Sitting[]): Promise<void> {
  const { table } = await post<Rematch>(`/api/tables/${info.table}/rematch`);
  const free = people.filter(({ seat }) => table.seats[seat]?.kind === "empty");
  if (table.phase === "waiting" && free.length > 0) {
    for (const { seat, bearer } of free) await sitDown(table, seat, bearer);
    const made = await get<TableInfo>(`/api/tables/${table.table}`);
    const here = people.map(({ seat }) => seat);
    const all = made.seats.every((each, seat) => each.kind === "bot" || here.includes(seat));
    if (all && !made.started) await act(made.table, "start");
  }
  go(`/t/${table.table}`);
}

/** A table for practice with a known deal: oneself at a seat, bots at all others; it starts. */
export async function practise(
  record: string,
  like: TableInfo,
  seat: number,
  round: number,
): Promise<void> {
  await beGuest();
  const { seats, variant, assist } = like.settings;
  const practice = cutBefore(record, round);
  const made = await post<NewTable>("/api/tables", { seats, variant, assist, practice });
  const { table } = made.table;
  await sitDown(made.table, seat);
  for (let other = 0; other < seats; other++)
    if (other !== seat) await act(table, `bot ${other} ${like.seats[other]?.bot ?? STAND_IN}`);
  await act(table, "start");
  go(`/t/${table}`);
}

/** The same deal again from its start. */
export async function sameDeal(info: TableInfo, seat: number): Promise<void> {
  const record = await get<string>(`/api/tables/${info.table}/record`);
  await practise(record, info, seat, 0);
}

/** A new deal with the same settings, for one person. */
export async function newDeal(info: TableInfo): Promise<void> {
  await beGuest();
  const { seats, variant, objectives, assist } = info.settings;
  const made = await post<NewTable>("/api/tables", { seats, variant, objectives, assist });
  await sitDown(made.table, 0);
  await act(made.table.table, "start");
  go(`/t/${made.table.table}`);
}
