import type { Cell } from "../board/geometry";
import type { BoardMarks } from "../board/Marks";
import { type Choice, withChoice } from "../choice";
import type { Laid } from "../edition";
import type { MarksInfo } from "../marks";
import type { Part } from "../sentences";

type Cells = readonly (readonly [number, number])[];

const named = (cells: Cells): string =>
  cells
    .map((cell) => cell.join(":"))
    .sort()
    .join(" ");

const moved = (cells: Cells, by: number): Cell[] =>
  cells.map(([column, height]) => [column + by, height]);

/** What is in the second list but not in the first, which lies `by` columns further left. */
function fresh(before: readonly Cells[], after: readonly Cells[], by: number): [number, Cells][] {
  const known = new Set(before.map((cells) => named(moved(cells, by))));
  let kept = after.filter((cells) => known.has(named(cells))).length;
  return after.flatMap((cells): [number, Cells][] => {
    if (known.has(named(cells))) return [];
    kept += 1;
    return [[kept, cells]];
  });
}

/** Only the marks that a choice adds; `by`: how many columns it adds on the left. */
export function added(before: MarksInfo | undefined, after: MarksInfo, by: number): BoardMarks {
  const row = fresh(before?.row.runs ?? [], after.row.runs, by);
  return {
    color: fresh(before?.color.combinations ?? [], after.color.combinations, by).map(
      ([number, cells]) => ({ cells: moved(cells, 0), number }),
    ),
    handle: fresh(before?.handle.combinations ?? [], after.handle.combinations, by).map(
      ([, cells]) => ({ cells: moved(cells, 0) }),
    ),
    // A row that is no longer than before is nothing new.
    row:
      after.row.length > (before?.row.length ?? 0)
        ? row.map(([, cells]) => ({ cells: moved(cells, 0) }))
        : [],
  };
}

/** All marks of the wished kinds. */
export function whole(marks: MarksInfo, parts: ReadonlySet<Part>): BoardMarks {
  return {
    color: parts.has("color")
      ? marks.color.combinations.map((cells, i) => ({ cells: moved(cells, 0), number: i + 1 }))
      : [],
    handle: parts.has("handle")
      ? marks.handle.combinations.map((cells) => ({ cells: moved(cells, 0) }))
      : [],
    row: parts.has("row") ? marks.row.runs.map((cells) => ({ cells: moved(cells, 0) })) : [],
  };
}

/** The board with a choice, and how many columns the choice adds on the left. */
export function boardWith(
  board: Laid[],
  choice: Choice,
): { board: Laid[]; ghost: number[]; by: number } {
  const { board: all, fresh: ghost } = withChoice(board, choice);
  return { board: all, ghost, by: choice.kind === "place" && ghost.includes(0) ? 1 : 0 };
}
