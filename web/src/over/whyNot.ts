import type { Drawer, ObjectiveInfo } from "../boot";
import type { Cell, Kind, PlayerResult } from "./result";

/** Why a drawer counts for an objective, or why not. */
export type Why =
  /** In the combination with this number, or in a run. */
  | { reason: "counted"; number: number }
  /** It would fit, but these combinations have taken drawers that it needs. */
  | { reason: "taken"; by: number[] }
  /** The pattern fits nowhere over it. */
  | { reason: "fits_not" }
  | { reason: "bare" }
  /** The row objective counts another color, handle or row. */
  | { reason: "other"; only: string }
  | { reason: "rows"; rows: number[] }
  | { reason: "shorter" };

const same = (one: readonly number[], other: readonly number[]): boolean =>
  one[0] === other[0] && one[1] === other[1];
const has = (cells: readonly Cell[], cell: Cell): boolean => cells.some((each) => same(each, cell));

/** In which of these groups of drawers a drawer is, from 1; 0: in none. */
function groupOf(groups: readonly Cell[][], cell: Cell): number {
  return groups.findIndex((cells) => has(cells, cell)) + 1;
}

/** Why a drawer counts in a pattern or not; `fits`: every place where the pattern fits. */
export function whyPattern(combinations: Cell[][], fits: Cell[][], cell: Cell): Why {
  const number = groupOf(combinations, cell);
  if (number > 0) return { reason: "counted", number };
  const blocked = fits
    .filter((cells) => has(cells, cell))
    .map((cells) => [...new Set(cells.map((each) => groupOf(combinations, each)))])
    .map((numbers) => numbers.filter((each) => each > 0).sort((a, b) => a - b))
    .sort((one, other) => one.length - other.length);
  const [least] = blocked;
  return least === undefined ? { reason: "fits_not" } : { reason: "taken", by: least };
}

/** Why a drawer counts in the row or not. */
export function whyRow(runs: Cell[][], row: ObjectiveInfo, drawer: Drawer, cell: Cell): Why {
  const number = groupOf(runs, cell);
  if (number > 0) return { reason: "counted", number };
  if (row.of === "handle" && drawer.handle === null) return { reason: "bare" };
  if (row.only !== null && row.only !== drawer.color && row.only !== drawer.handle)
    return { reason: "other", only: row.only };
  if (row.rows.length > 0 && !row.rows.includes(cell[1]))
    return { reason: "rows", rows: row.rows.map((height) => height + 1) };
  return { reason: "shorter" };
}

/** What is known of one kind: where the pattern fits, if that has been asked. */
export interface Known {
  color: { fits: Cell[][] };
  handle: { fits: Cell[][] };
}

/** Why a drawer counts for a kind or not; undefined while it is not known where patterns fit. */
export function whyOf(
  kind: Kind,
  player: PlayerResult,
  known: Known | undefined,
  row: ObjectiveInfo,
  drawer: Drawer,
  cell: Cell,
): Why | undefined {
  if (kind === "row") return whyRow(player.row.runs, row, drawer, cell);
  const { combinations } = player[kind];
  if (kind === "handle" && drawer.handle === null) return { reason: "bare" };
  if (groupOf(combinations, cell) === 0 && known === undefined) return undefined;
  return whyPattern(combinations, known?.[kind].fits ?? [], cell);
}
