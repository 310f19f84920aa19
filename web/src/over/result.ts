import type { BoardMarks } from "../board/Marks";
import type { ViewInfo } from "../protocol";

export type Cell = [column: number, height: number];

/** Combinations of one kind, with the drawers behind them. */
export interface Combinations {
  count: number;
  points: number;
  combinations: Cell[][];
}

/** What one player's board came to. */
export interface PlayerResult {
  name: string;
  color: Combinations;
  handle: Combinations;
  row: { length: number; points: number; runs: Cell[][] };
  bonus: number;
  swap: number;
  total: number;
  place: number;
}

/** The whole result, as `GET /api/tables/TABLE/score` has it. */
export interface Result {
  players: PlayerResult[];
  winners: number[];
  title: { tier: number; text: string } | null;
}

/** What can be marked on a board. */
export type Kind = "color" | "handle" | "row";
export const KINDS: readonly Kind[] = ["color", "handle", "row"];

/** The five parts of a total, in the order in which they are counted. */
export type Part = Kind | "bonus" | "swap";
export const PARTS: readonly Part[] = ["color", "handle", "row", "bonus", "swap"];

/** The most letters of a name that fit into one line in the narrowest place. */
const SHORT = 11;

/** The class of a place for a name: a long one gets smaller letters, and two lines. */
export function lengthOf(name = ""): string {
  return name.length > SHORT ? "long" : "";
}

/** The points of one part. */
export function pointsOf(player: PlayerResult, part: Part): number {
  return part === "bonus" || part === "swap" ? player[part] : player[part].points;
}

/** The parts that exist in a game: the variant has no swap cards. */
export function partsOf(mode: ViewInfo["mode"]): readonly Part[] {
  return mode === "variant" ? PARTS.filter((part) => part !== "swap") : PARTS;
}

/** The marks of some kinds on a board; color combinations carry their number, where it fits. */
export function marksOf(player: PlayerResult, kinds: readonly Kind[], numbered = true): BoardMarks {
  const shown = (kind: Kind) => kinds.includes(kind);
  return {
    color: shown("color")
      ? player.color.combinations.map((cells, i) =>
          numbered ? { cells, number: i + 1 } : { cells },
        )
      : [],
    handle: shown("handle") ? player.handle.combinations.map((cells) => ({ cells })) : [],
    row: shown("row") ? player.row.runs.map((cells) => ({ cells })) : [],
  };
}

/** The seats, best first; who shares a place stays in seating order. */
export function ranking(players: PlayerResult[]): number[] {
  return players
    .map((_, seat) => seat)
    .sort((one, other) => (players[one]?.place ?? 0) - (players[other]?.place ?? 0) || one - other);
}
