import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { get, post } from "../api";
import { LineOfText } from "../menu/fields";
import { sentenceOf } from "../menu/trouble";
import type { Found, Listing } from "../protocol";
import { go } from "../route";
import { t } from "../words";
import { Way } from "./Head";
import { inOrder, isOwn, stateWords, whoWords } from "./lists";
import { deed } from "./start";
import { paceWords } from "./terms";

/** The lists of tables; null: not yet asked for. */
export const mine = signal<Listing[] | null>(null);
export const open = signal<Listing[] | null>(null);

/** Ask for the tables that one sits at or has made, and for public ones. */
export async function loadTables(known: boolean): Promise<void> {
  const [own, all] = await Promise.all([
    known ? get<Listing[]>("/api/me/tables") : [],
    get<Listing[]>("/api/tables"),
  ]);
  mine.value = own;
  open.value = all;
}

/** What one does with a table of a list. */
function verb(table: Listing): string {
  if (table.phase === "finished" || table.phase === "abandoned") return t("web.lobby.look");
  if (table.your_seat !== null) return t("web.lobby.open");
  return table.phase === "waiting" ? t("web.lobby.join") : t("web.lobby.watch");
}

/** Ends a table that nobody else sits at, after a second click. */
function End({ table }: { table: Listing }): VNode {
  const [sure, ask] = useState(false);
  const [trouble, setTrouble] = useState("");
  function end(): void {
    if (!sure) {
      ask(true);
      return;
    }
    deed(table.table, "close")
      .then(() => loadTables(true))
      .catch((error: unknown) => setTrouble(sentenceOf(error)));
  }
  return (
    <>
      <button type="button" class="button quiet" onClick={end}>
        {sure ? t("web.lobby.end.sure") : t("web.lobby.end")}
        <span class="hidden-text">: {whoWords(table)}</span>
      </button>
      <p class="refusal" role="alert">
        {trouble}
      </p>
    </>
  );
}

/** A table in a list. */
export function TableLine({ table, ends }: { table: Listing; ends?: boolean }): VNode {
  const own = ends === true && isOwn(table);
  const variant = table.settings.variant ? ` · ${t("web.lobby.hands.bigger")}` : "";
  return (
    <li class={`table-line ${table.waits_for_you ? "yours" : ""} ${own ? "with-end" : ""}`}>
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
      {own && <End table={table} />}
    </li>
  );
}

/** Games that are not over: on top of everything else. */
export function Onward(): VNode | null {
  const going = inOrder(mine.value ?? []).filter(
    (each) => each.phase === "waiting" || (each.phase === "playing" && each.your_seat !== null),
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
