import type { Language } from "./protocol";

/** A card as five drawers from top to bottom: color, and handle if it has one. */
export interface Drawer {
  color: Color;
  handle: Handle | null;
}
export type Color = "red" | "turquoise" | "pink" | "orange" | "black";
export type Handle = "flower" | "square" | "bar";
export type Texts = Record<string, string | Record<string, string>>;

/** What an objective is, as far as the screen must know it. */
export interface ObjectiveInfo {
  number: number;
  kind: "color" | "handle" | "row";
  /** Per combination; for rows per drawer. */
  points: number;
  of: "color" | "handle";
  name: string | null;
  /** Every form that a board can show, as cells [column, height]. Empty for rows. */
  forms: [number, number][][];
  /** For rows: how runs are chosen, and what they are made of. */
  runs: "two longest" | "longest" | "longest in each row" | null;
  only: Color | Handle | null;
  rows: number[];
}

/** What comes with the page, so that nothing is asked for before the first picture. */
export interface Boot {
  language: Language;
  words: Texts;
  /** By number, from 1: `RfTPsOBb`. */
  cards: string[];
  objectives: ObjectiveInfo[];
  suggestions: [number, number, number][];
  edition: string;
  bots: { name: string; offered: boolean }[];
  /** The record of the practice deal of the first table. */
  practice: string;
  /** The server's address for others in the same network. */
  room: string | null;
  /** Of the server. */
  version: string;
}

function read(): Boot {
  const block = document.getElementById("boot");
  if (block?.textContent == null) throw new Error("the page came without its data");
  return JSON.parse(block.textContent) as Boot;
}

export const boot: Boot = read();
