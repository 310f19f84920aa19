import { effect } from "@preact/signals";
import { post, Refusal } from "../api";
import { boot } from "../boot";
import type { Choice } from "../choice";
import { beGuest } from "../identity";
import { settle } from "../menu/visit";
import { keyOf, type Place } from "../place";
import type { NewTable, Seated, Settings, TableInfo } from "../protocol";
import { go } from "../route";
import { keep, recall, settings } from "../settings";
import { keepSitting, playAt, type Sitting, sitDown } from "../sitting";
import { handOver } from "../table/ready";
import { practice } from "./practice";

const PLAYED = "sideboards.played";
const DEALT_WITHIN = 15_000;

/** Whether somebody played here before. */
export const hasPlayed = (): boolean => recall<boolean>(PLAYED) === true;

type Wish = Partial<Settings>;

/** The objectives of a quick game: the first suggestion, for those who know the rules any. */
function objectives(): Settings["objectives"] {
  return settings.value.knowsRules ? null : (boot.suggestions[0] ?? null);
}

/** Make a table; nobody sits there yet. */
export async function makeTable(wish: Wish): Promise<TableInfo> {
  await beGuest();
  return (await post<NewTable>("/api/tables", wish)).table;
}

/** Do something at a table without a socket. */
export async function deed(table: string, action: string): Promise<void> {
  await post(`/api/tables/${table}/actions`, { key: keyOf(0, 1), action });
}

/** A seat that adds no random number of its own: where the cards are known anyway. */
async function sitWithoutSeed(table: TableInfo): Promise<Sitting> {
  const { seat, token } = await post<Seated>(`/api/tables/${table.table}/seats`, { seat: 0 });
  const sitting = { table: table.table, seat, token, seed: "", promise: null, opened: false };
  keepSitting(sitting);
  return sitting;
}

/** Wait until the cards are dealt. */
function dealt(place: Place): Promise<void> {
  return new Promise((done, fail) => {
    const late = setTimeout(() => end(() => fail(new Refusal("too_slow", "", 0))), DEALT_WITHIN);
    const stop = effect(() => {
      if (place.view.value !== null) queueMicrotask(() => end(done));
    });
    function end(how: () => void): void {
      clearTimeout(late);
      stop();
      how();
    }
  });
}

/** Make a table, fill it with bots, deal, and go there as soon as the cards lie. */
async function quick(wish: Wish, bots: string[], chosen: () => Choice | null): Promise<void> {
  const table = await makeTable(wish);
  const [sitting] = await Promise.all([
    wish.practice == null ? sitDown(table, 0) : sitWithoutSeed(table),
    ...bots.map((bot, i) => deed(table.table, `bot ${i + 1} ${bot}`)),
  ]);
  const place = playAt(sitting, settings.value.assist);
  await Promise.all([deed(table.table, "start"), dealt(place)]);
  keep(PLAYED, true);
  const choice = chosen();
  const hand = place.view.value?.hands[sitting.seat]?.at(-1);
  // The play screen finds a choice that was begun where it keeps its own over a reload.
  if (choice !== null && hand !== undefined)
    keep(`sideboards.draft.${table.table}.${sitting.seat}`, {
      key: `0:${hand.join(",")}`,
      choice,
    });
  const held = document.activeElement?.getAttribute("data-card");
  handOver(table.table, [{ sitting, place }]);
  go(`/t/${table.table}`);
  settle(held ? `#hand [data-card="${held}"]` : "#hand");
}

/** Play against one easy bot; newcomers with the practice deal. */
export function playNow(): Promise<void> {
  if (!settings.value.knowsRules && !hasPlayed() && practice !== null)
    return playPractice(() => null);
  return quick({ seats: 2, objectives: objectives(), assist: 1 }, ["easy"], () => null);
}

/** Play the practice deal; `chosen` tells what was taken until the cards lie. */
export function playPractice(chosen: () => Choice | null): Promise<void> {
  const wish = { seats: 2, assist: 1, practice: boot.practice };
  const asked = practice?.objectives ?? null;
  return quick({ ...wish, objectives: asked }, ["easy"], chosen);
}

/** Play alone. */
export function playSolo(): Promise<void> {
  return quick({ seats: 1, objectives: objectives(), assist: 1 }, [], () => null);
}

/** Make a table for friends, sit down there, and show it. */
export async function withFriends(wish: Wish = {}): Promise<void> {
  const suggested = boot.suggestions[0] ?? null;
  const table = await makeTable({ seats: 4, objectives: suggested, assist: 1, ...wish });
  const sitting = await sitDown(table, 0);
  keep(PLAYED, true);
  handOver(table.table, [{ sitting, place: playAt(sitting, settings.value.assist) }]);
  go(`/t/${table.table}`);
}
