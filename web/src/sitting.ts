import { get, post } from "./api";
import { hash, newSeed } from "./fair";
import { type Begun, type Place, takePlace } from "./place";
import type { Seated, TableInfo } from "./protocol";
import { keep, recall } from "./settings";

/** What everybody was shown at the start, before any seed was opened. */
export interface Promised {
  rules: string;
  server_commit: string;
  seat_commits: string[];
}

/** A seat of this device: how to come back to it, and what it put into the deal. */
export interface Sitting {
  table: string;
  seat: number;
  token: string;
  seed: string;
  promise: Promised | null;
  opened: boolean;
  /** The device token of somebody else who shares this device; without, it is this device's guest. */
  bearer?: string;
  /** The own hands as they were shown here, so that the proof can be held against them. */
  seen?: number[][];
}

const name = (table: string, seat: number): string => `sideboards.seat.${table}.${seat}`;

/** The commitment to a seat's seed. */
export function commitment(table: string, seat: number, seed: string): string {
  return hash(["SB1", "seat", table, String(seat), seed].join("|"));
}

/** Take an empty seat. `bearer`: as another guest of this device. */
export async function sitDown(table: TableInfo, seat: number, bearer?: string): Promise<Sitting> {
  const seed = newSeed();
  const commit = commitment(table.table, seat, seed);
  const path = `/api/tables/${table.table}/seats`;
  const seated = await post<Seated>(path, { seat, commit }, bearer);
  const kept = seated.table.seats[seated.seat]?.commit === commit;
  return seatedAt(seated, kept ? seed : "", bearer);
}

/** The seat that this device's guest has at a table already; null if there is none. */
export async function seatOf(table: TableInfo): Promise<Sitting | null> {
  const seated = await get<Seated | null>(`/api/tables/${table.table}/seat`);
  return seated === null || typeof seated !== "object" ? null : seatedAt(seated, "");
}

/** A seat that the server has told of, kept on this device. */
export function seatedAt({ seat, token, table }: Seated, seed: string, bearer?: string): Sitting {
  const sitting: Sitting = { table: table.table, seat, token, seed, promise: null, opened: false };
  if (bearer !== undefined) sitting.bearer = bearer;
  keepSitting(sitting);
  return sitting;
}

export function keepSitting(sitting: Sitting): void {
  keep(name(sitting.table, sitting.seat), sitting);
}

/** The seats of this device at a table, as they were kept; several when people share it. */
export function sittingsAt(table: string): Sitting[] {
  return [0, 1, 2, 3, 4, 5]
    .map((seat) => recall<Sitting>(name(table, seat)))
    .filter((found) => found !== null);
}

/** Take the place of a seat, open its seed when the table starts, remember what was promised. */
export function playAt(sitting: Sitting, assist: number, begun?: Begun): Place {
  const taken = takePlace(
    { table: sitting.table, token: sitting.token, assist },
    (table, place) => {
      if (!table.started || table.phase !== "waiting") return;
      if (sitting.promise === null) {
        sitting.promise = {
          rules: table.rules,
          server_commit: table.commit,
          seat_commits: table.seats.map((seat) => seat.commit),
        };
        keepSitting(sitting);
      }
      const here = table.seats[sitting.seat];
      if (sitting.seed === "" || sitting.opened || here === undefined || here.opened) return;
      if (here.commit !== commitment(sitting.table, sitting.seat, sitting.seed)) return;
      sitting.opened = true;
      place.act(`open ${sitting.seed}`).then(
        () => keepSitting(sitting),
        () => {
          sitting.opened = false;
        },
      );
    },
    begun,
  );
  taken.view.subscribe((view) => {
    const hands = view?.hands[sitting.seat];
    if (hands != null && remember(sitting, hands)) keepSitting(sitting);
  });
  return taken;
}

/** Add the hands that are new. What was once seen stays, even if it is told otherwise later. */
export function remember(sitting: Sitting, hands: number[][]): boolean {
  const seen = sitting.seen ?? [];
  const goesOn = seen.every((hand, i) => hand.join() === hands[i]?.join());
  if (!goesOn || hands.length === seen.length) return false;
  sitting.seen = hands;
  return true;
}
