/** Sizes and places of everything on a drawn sideboard, in CSS px. */

import { DESK_SIZE, HANDLE_SHARES, MEASURES } from "./measures";

/** How far the drawers of neighbouring cards are apart: across, and down. */
export interface Pitch {
  w: number;
  h: number;
}

/** A place on a picture. */
export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** A drawer of a board: column from the left, height from the top. */
export type Cell = readonly [column: number, height: number];

/** Board and hand on a desktop. */
export const DESK: Pitch = DESK_SIZE;
/** The board on a phone that is 640 high. */
export const PHONE: Pitch = { w: 38, h: 29 };
/** The hand on a phone: a wide chest. */
export const WIDE: Pitch = { w: 90, h: 21.4 };

/** Room for eight cards and a free end. */
export const SLOTS = 9;
/** Cards that a player begins with. */
export const START = 2;
const HEIGHTS = 5;
/** The vase stands above the picture: leave so much wall there. */
export const VASE = { w: 28, h: 40 };
const SHADOW = 5;
/** Lower drawers would have no room for their texture. */
const LOWEST = 14;

/** The measures of the furniture that go with a pitch. */
export interface Frame {
  k: number;
  stile: number;
  rail: number;
  gap: number;
  plank: number;
  overhang: number;
  plinth: number;
  legs: number;
  /** How far the outer legs stand inside. */
  inset: number;
  /** Of the corners of a card that lies alone. */
  radius: number;
  /** The side of a handle's square. */
  handle: number;
}

/** The measures of the furniture that go with a pitch. */
export function frame({ w, h }: Pitch): Frame {
  const k = h / DESK.h;
  const of = (name: keyof typeof MEASURES): number => {
    const [desk, least] = MEASURES[name];
    return Math.max(least, desk * k);
  };
  const [across, down] = HANDLE_SHARES;
  return {
    k,
    stile: of("stile"),
    rail: of("rail"),
    gap: of("gap"),
    plank: of("plank"),
    overhang: of("overhang"),
    plinth: of("plinth"),
    // Low screens have no room for legs in proportion.
    legs: h < 28 ? 7 : h < 40 ? 14 : MEASURES.legs[0],
    inset: of("inset"),
    radius: of("radius"),
    handle: Math.min(of("handle"), across * w, down * h),
  };
}

/** The size of one card with its carcass. */
export function cardSize(pitch: Pitch): { w: number; h: number } {
  return { w: pitch.w, h: HEIGHTS * pitch.h + 2 * frame(pitch).rail };
}

/** The front of a drawer on a card whose corner is at (0, 0). */
export function frontRect(height: number, pitch: Pitch): Rect {
  const { stile, rail, gap } = frame(pitch);
  return {
    x: stile + gap / 2,
    y: rail + height * pitch.h + gap / 2,
    w: pitch.w - 2 * stile - gap,
    h: pitch.h - gap,
  };
}

/** The size of a sideboard's picture, without the vase: from the top board to the floor. */
export function boardSize(pitch: Pitch, slots: number = SLOTS): { w: number; h: number } {
  const { plank, plinth, legs } = frame(pitch);
  return {
    w: slots * pitch.w + (slots < SLOTS ? 2 * frame(pitch).overhang : 0),
    h: plank + cardSize(pitch).h + plinth + legs + SHADOW,
  };
}

/**
 * The place of a card on a board of `count` cards. Column -1 is the free end on the left,
 * column `count` the one on the right.
 */
export function slotRect(column: number, count: number, pitch: Pitch, slots: number = SLOTS): Rect {
  const left = (boardSize(pitch, slots).w - count * pitch.w) / 2;
  return { x: left + column * pitch.w, y: frame(pitch).plank, ...cardSize(pitch) };
}

/** The whole field of a drawer on a board of `count` cards, with its share of wood and gaps. */
export function cellRect(
  [column, height]: Cell,
  count: number,
  pitch: Pitch,
  slots: number = SLOTS,
): Rect {
  const slot = slotRect(column, count, pitch, slots);
  return {
    x: slot.x,
    y: slot.y + frame(pitch).rail + height * pitch.h,
    w: pitch.w,
    h: pitch.h,
  };
}

/** Which drawer is at a point: its column as in `slotRect`, and its height, 0 to 4. */
export function cellAt(x: number, y: number, count: number, pitch: Pitch, slots = SLOTS): Cell {
  const first = cellRect([0, 0], count, pitch, slots);
  const height = Math.floor((y - first.y) / pitch.h);
  return [Math.floor((x - first.x) / pitch.w), Math.min(Math.max(height, 0), HEIGHTS - 1)];
}

/**
 * What is furniture on a board with ghosts: how many columns, and which column of the board is
 * its first. Ghosts at the ends stand beside the furniture; before the first card it has two
 * columns for the cards to begin with.
 */
export function block(
  length: number,
  ghost: readonly number[] = [],
): { from: number; count: number } {
  if (ghost.length >= length) return { from: 0, count: START };
  let from = 0;
  while (ghost.includes(from)) from += 1;
  let to = length;
  while (ghost.includes(to - 1)) to -= 1;
  return { from, count: to - from };
}

/** The largest pitch, of the proportions of a desk, whose sideboard fits into an area. */
export function fitPitch(width: number, height: number, most: Pitch = DESK, slots = SLOTS): Pitch {
  const w = Math.min(most.w, width / slots);
  let h = Math.min(most.h, (w * PHONE.h) / PHONE.w);
  while (h > LOWEST && boardSize({ w, h }, slots).h > height) h = Math.max(h - 0.5, LOWEST);
  return { w, h };
}

/** How many legs carry a block of a width. */
export function legCount(width: number): number {
  return width < 150 ? 2 : width < 240 ? 3 : 4;
}
