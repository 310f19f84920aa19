import { signal } from "@preact/signals";
import { get } from "./api";
import { boot } from "./boot";
import { formatBoard, type Laid } from "./edition";
import type { Marks } from "./protocol";

/** What can be marked on a board: see `GET /api/marks`. */
export type MarksInfo = Marks;

const MOST_BOARDS = 48;
/** Those of two or three games; the browser itself keeps the answers longer. */
const MOST_KEPT = 60;

const kept = new Map<string, Promise<MarksInfo>>();
const found = new Map<string, MarksInfo>();
/** Grows whenever something was found, so that views which looked in vain are drawn anew. */
const news = signal(0);

interface Wish {
  board: string;
  take: (marks: MarksInfo) => void;
  fail: (reason: unknown) => void;
}
const wishes = new Map<string, Wish[]>();

function keyOf(objectives: readonly number[], board: string): string {
  return `${objectives.join(",")}|${board}`;
}

/** Asks for the wishes of one moment together, in as few requests as possible. */
async function fulfil(): Promise<void> {
  const all = [...wishes];
  wishes.clear();
  for (const [objectives, wanted] of all) {
    for (let first = 0; first < wanted.length; first += MOST_BOARDS) {
      const some = wanted.slice(first, first + MOST_BOARDS);
      const query = new URLSearchParams({ objectives, edition: boot.edition });
      for (const { board } of some) query.append("board", board);
      try {
        const answer = await get<MarksInfo[]>(`/api/marks?${query}`);
        some.forEach(({ take, fail }, place) => {
          const one = answer[place];
          if (one === undefined) fail(new Error("an answer without all boards"));
          else take(one);
        });
      } catch (reason) {
        for (const { fail } of some) fail(reason);
      }
    }
  }
}

function ask(objectives: readonly number[], board: string): Promise<MarksInfo> {
  const key = keyOf(objectives, board);
  const known = kept.get(key);
  if (known !== undefined) return known;
  for (const oldest of kept.keys()) {
    if (kept.size < MOST_KEPT) break;
    kept.delete(oldest);
    found.delete(oldest);
  }
  const asked = new Promise<MarksInfo>((take, fail) => {
    if (wishes.size === 0) queueMicrotask(() => void fulfil());
    const numbers = objectives.join(",");
    const waiting = wishes.get(numbers) ?? [];
    wishes.set(numbers, [...waiting, { board, take, fail }]);
  });
  kept.set(key, asked);
  asked.then(
    (marks) => {
      if (kept.has(key)) found.set(key, marks);
      news.value += 1;
    },
    () => kept.delete(key),
  );
  return asked;
}

/** The marks of boards (`17 42~ 8`); what was asked for before is not asked for again. */
export function marksOf(
  objectives: readonly number[],
  boards: readonly string[],
): Promise<MarksInfo[]> {
  return Promise.all(boards.map((board) => ask(objectives, board)));
}

/** The marks of a board, or undefined until they are there; then the view is drawn anew. */
export function marks(
  objectives: readonly number[],
  board: string | readonly Laid[],
): MarksInfo | undefined {
  const text = typeof board === "string" ? board : formatBoard([...board]);
  const known = found.get(keyOf(objectives, text));
  if (known !== undefined) return known;
  void news.value;
  ask(objectives, text).catch(() => undefined);
  return undefined;
}
