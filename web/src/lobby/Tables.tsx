import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { get, post } from "../api";
import { LineOfText } from "../menu/fields";
import { sentenceOf } from "../menu/trouble";
import type { Found, Listing } from "../protocol";
import { go } from "../route";
import { listed, t } from "../words";
import { Way } from "./Head";
import { paceWords } from "./terms";

/** The lists of tables; null: not yet asked for. */
export const mine = signal<Listing[] | null>(null);
export const open = signal<Listing[] | null>(null);

/** Ask for the tables that one sits at, and for public ones. */
export async function loadTables(known: boolean): Promise<void> {
  const [own, all] = await Promise.all([
    known ? get<Listing[]>("/api/me/tables") : [],
    get<Listing[]>("/api/tables"),
  ]);
  mine.value = own;
  open.value = all;
}

/** One's own tables: what waits for oneself first, then what goes on, then what is over. */
export function inOrder(tables: Listing[]): Listing[] {
  const rank = (each: Listing): number => {
    if (each.waits_for_you) return 0;
    return ["playing", "waiting", "finished", "abandoned"].indexOf(each.phase) + 1;
  };
  return [...tables].sort((a, b) => rank(a) - rank(b) || b.updated - a.updated);
}

/** Who sits at a table besides oneself. */
export function whoWords(table: Listing): string {
  const names = table.names.flatMap((name, seat) => {
    if (seat === table.your_seat) return [];
    const bot = table.settings.bots[seat];
    if (bot != null) return [t("web.say.bot", { level: t(`bot.${bot}`) })];
    return name === null ? [] : [name];
  });
  if (names.length > 0) return listed(names);
  return table.settings.seats === 1 ? t("web.lobby.alone") : t("web.lobby.nobody");
}

/** How far a table is. */
export function stateWords(table: Listing): string {
  const { seats, bots } = table.settings;
  if (table.waits_for_you && table.round !== null) {
    const round =
      table.round === 0 ? t("web.lobby.round.start") : t("web.lobby.round", { round: table.round });
    return `${t("web.lobby.turn.yours")} · ${round}`;
  }
  if (table.phase === "playing" && table.your_seat !== null) return t("web.lobby.turn.others");
  if (table.phase !== "waiting") return t(`web.lobby.phase.${table.phase}`);
  const taken = table.names.filter((name, seat) => name !== null || bots[seat] != null).length;
  return `${t("web.lobby.phase.waiting")} · ${t("web.lobby.seated", { taken, count: seats })}`;
}

/** What one does with a table of a list. */
function verb(table: Listing): string {
  if (table.phase === "finished" || table.phase === "abandoned") return t("web.lobby.look");
  if (table.your_seat !== null) return t("web.lobby.open");
  return table.phase === "waiting" ? t("web.lobby.join") : t("web.lobby.watch");
}

/** A table in a list. */
export function TableLine({ table }: { table: Listing }): VNode {
  const variant = table.settings.variant ? ` · ${t("web.lobby.hands.bigger")}` : "";
  return (
    <li class={table.waits_for_you ? "table-line yours" : "table-line"}>
      <div>
        <strong>{whoWords(table)}</strong>
        <p>{stateWords(table)}</p>
        <p>
          {paceWords(table.settings.round_seconds)}
          {variant}
        </p>
      </div>
      <Way to={`/t/${table.table}`} class="button">
        {verb(table)}
        <span class="hidden-text">: {whoWords(table)}</span>
      </Way>
    </li>
  );
}

/** Games that are not over: on top of everything else. */
export function Onward(): VNode | null {
  const going = inOrder(mine.value ?? []).filter(
    (each) => each.phase === "playing" || each.phase === "waiting",
  );
  if (going.length === 0) return null;
  return (
    <section class="box onward">
      <h2>{t("web.lobby.resume")}</h2>
      <ul class="table-list">
        {going.slice(0, 3).map((table) => (
          <TableLine key={table.table} table={table} />
        ))}
      </ul>
      {going.length > 3 && <Way to="/lobby">{t("web.lobby.all")}</Way>}
    </section>
  );
}

/** Tables that everybody may join or watch. */
export function PublicTables({ most }: { most?: number }): VNode {
  const tables = open.value ?? [];
  const shown = tables
    .filter((each) => each.phase === "waiting" || each.settings.spectators)
    .slice(0, most);
  return (
    <section class="box">
      <h2>{t("web.lobby.public")}</h2>
      {shown.length === 0 && <p class="note">{t("web.lobby.public.none")}</p>}
      <ul class="table-list">
        {shown.map((table) => (
          <TableLine key={table.table} table={table} />
        ))}
      </ul>
      {most !== undefined && (
        <Way to="/lobby" class="all-link">
          {t("web.lobby.all")}
        </Way>
      )}
    </section>
  );
}

/** The way to a table whose code somebody has told. */
export function EnterCode(): VNode {
  const [code, setCode] = useState("");
  const [trouble, setTrouble] = useState("");
  return (
    <section class="box">
      <LineOfText
        label={t("web.lobby.code")}
        value={code}
        longest={12}
        button={t("web.lobby.open")}
        onInput={setCode}
        onSubmit={() => {
          setTrouble("");
          post<Found>("/api/codes", { code }).then(
            (found) => go(`/t/${found.table}`),
            (error: unknown) => setTrouble(sentenceOf(error)),
          );
        }}
      />
      <p class="refusal" role="alert">
        {trouble}
      </p>
    </section>
  );
}
