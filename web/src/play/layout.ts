import { signal } from "@preact/signals";
import { fitPitch, type Pitch } from "../board/geometry";

/** phone: strips; side: a phone on its side; desk: three columns; stack: too small for no scroll. */
export type Kind = "phone" | "side" | "desk" | "stack";

export interface Layout {
  kind: Kind;
  /** Phones that are high enough have roomy lines. */
  tall: boolean;
  /** The lowest phones have preview and labels beside other things, not on lines of their own. */
  tight: boolean;
  board: Pitch;
  hand: Pitch;
  mini: { w: number; h: number };
}

const DESK_WIDTH = 1024;
const WIDE_DESK = 1280;
const LOWEST = 500;
const NARROWEST = 340;
const TALL = 620;
const TIGHT = 545;

const between = (least: number, value: number, most: number): number =>
  Math.max(least, Math.min(value, most));

/** How everything is placed on a screen of a size, in CSS px; `cards`: how many are in the hand. */
export function layoutOf(width: number, height: number, cards = 2): Layout {
  if (width >= DESK_WIDTH && height >= LOWEST) return desk(width, height);
  if (width >= 560 && width > height * 1.15 && height >= 320) return side(width, height, cards);
  if (width < NARROWEST || height < LOWEST) return stack(width, height, cards);
  return phone(width, height, cards);
}

function desk(width: number, height: number): Layout {
  const most = width >= WIDE_DESK ? 44 + between(0, (height - 900) * 0.06, 14) : 42;
  const middle = width - (width >= WIDE_DESK ? 520 : 448) - 32;
  const h = between(20, (height - 342) / 10, most);
  const w = Math.min(h * (width >= WIDE_DESK ? 64 / 44 : 58 / 42), middle / 9);
  const pitch = { w, h };
  return {
    kind: "desk",
    tall: true,
    tight: false,
    board: pitch,
    hand: pitch,
    mini: { w: 92, h: 62 },
  };
}

function side(width: number, height: number, cards: number): Layout {
  const middle = width - 2 * sideWidth(width);
  const h = between(15, (height - 168) / 10, 40);
  const board = { w: Math.min((middle - 12) / 9, h * 1.46), h };
  const hand = { w: handWidth(middle, cards, 110), h };
  return { kind: "side", tall: false, tight: true, board, hand, mini: { w: 60, h: 30 } };
}

/** The width of the outer columns of a phone on its side. */
export function sideWidth(width: number): number {
  return between(116, width * 0.185, 220);
}

function phone(width: number, height: number, cards: number): Layout {
  const w = Math.min((width - 16) / 9, 64);
  const tall = height >= TALL;
  const board = { w, h: between(26, 29 + (height - 640) * 0.06, w * 0.764) };
  const h = between(19.6, 21.4 + (height - 640) * 0.045, 34);
  const hand = { w: handWidth(width, cards, 90), h };
  const mini = tall ? { w: 64, h: 33 } : { w: 56, h: 25 };
  return { kind: "phone", tall, tight: height < TIGHT, board, hand, mini };
}

function stack(width: number, height: number, cards: number): Layout {
  const h = between(9, (height - 150) / 16, 20);
  const board = fitPitch(width - 8, 190, { w: 44, h: 29 });
  const hand = { w: handWidth(width, cards, 84), h };
  return { kind: "stack", tall: false, tight: true, board, hand, mini: { w: 56, h: 25 } };
}

/** Cards of the hand: as wide as wished, with four of them 78, and never too wide to stand. */
function handWidth(width: number, cards: number, wished: number): number {
  const most = cards >= 4 ? Math.min(wished, 78) : wished;
  return Math.min(most, (width - 16 - 10 * (cards - 1)) / cards);
}

/** How many letters of a name, and of a small label below it, fit beside one of the others. */
export function seatRoom(
  kind: Kind,
  width: number,
  others: number,
): { letters: number; label: number } {
  if (kind === "desk") return { letters: width < WIDE_DESK ? 9 : 13, label: 99 };
  const room = kind === "side" ? sideWidth(width) - 8 : (width - 12) / Math.max(others, 1);
  // Who sits alone opposite gets and gives: two labels.
  const label = (others === 1 ? room / 2 : room) - 18;
  return { letters: Math.max(5, Math.floor((room - 22) / 8.2)), label: Math.floor(label / 6.8) };
}

/** How many letters a line of the status sentence has, and the sentence that follows it. */
export function sayRoom(kind: Kind, width: number, clock: boolean): { say: number; also: number } {
  const rest = width - (clock ? 44 : 0);
  if (kind === "desk") {
    const room = rest - (width < WIDE_DESK ? 560 : 680);
    return { say: Math.floor(room / 11), also: Math.floor((room - 250) / 8) };
  }
  return { say: Math.floor((rest - 184) / 9.4), also: 0 };
}

/** How many letters of a name fit into the tag of a card in a hand of so many. */
export function tagLetters(kind: Kind, width: number, cards: number): number {
  if (kind !== "desk") return [0, 14, 10, 7][cards] ?? 5;
  return cards < 3 ? 12 : width < WIDE_DESK ? 7 : 9;
}

/** Whether so many others on a desk of this height need small tiles, for log and memory's sake. */
export function isDense(others: number, height: number): boolean {
  return others > 3 && height < 820;
}

/** The size of the window; a tab that was never shown has none yet. */
function sizeOf(): { w: number; h: number } {
  return { w: Math.max(innerWidth, 280), h: Math.max(innerHeight, 280) };
}

/** The size of the window; views that read it are drawn anew when it changes. */
export const screen = signal(sizeOf());
addEventListener("resize", () => {
  screen.value = sizeOf();
});
