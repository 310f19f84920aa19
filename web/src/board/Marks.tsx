import type { VNode } from "preact";
import type { Cell, Pitch, Rect } from "./geometry";
import { outline, rings, rounded } from "./outline";

/** What scores on a board, in columns of the board as it is shown. */
export interface BoardMarks {
  /** Combinations of a color, with the number on their badge. */
  color: { cells: Cell[]; number?: number }[];
  handle: { cells: Cell[] }[];
  row: { cells: Cell[] }[];
}

interface MarksProps {
  marks: BoardMarks;
  pitch: Pitch;
  /** Where the field of a drawer lies in the picture. */
  place: (cell: Cell) => Rect;
}

type MarkProps = Omit<MarksProps, "marks"> & { cells: Cell[]; number?: number };

const keyOf = (cells: Cell[]): string => cells.join(" ");

/** Along the lower edge of a row, with a tick between its drawers. */
function Band({ cells, pitch, place }: MarkProps): VNode | null {
  const [first, ...others] = cells.map(place);
  if (first === undefined) return null;
  const high = Math.max(4, 0.13 * pitch.h);
  const y = first.y + pitch.h - high / 2 - 0.6;
  const w = pitch.w * cells.length - 2;
  return (
    <g class="board-band">
      <rect x={first.x + 1} y={y} width={w} height={high} rx={high / 2} />
      {others.map(({ x }) => (
        <path key={x} d={`M${x} ${y}v${high}`} />
      ))}
    </g>
  );
}

/** Rings round handles, joined from rim to rim. */
function Rings({ cells, pitch, place }: MarkProps): VNode {
  const middles = cells.map((cell) => {
    const { x, y, w, h } = place(cell);
    return { x: x + w / 2, y: y + h / 2 };
  });
  const d = rings(middles, 0.36 * pitch.h + 0.8);
  return (
    <g class="board-rings">
      <path class="casing" d={d} />
      <path class="line" d={d} />
    </g>
  );
}

/** A joined outline with the combination's number at its first drawer's corner. */
function Outline({ cells, pitch, place, number }: MarkProps): VNode {
  const inset = Math.min(1.2, 0.8 + pitch.h / 110);
  const field = (cell: Cell): Rect => {
    const { x, y, w, h } = place(cell);
    return { x: x + inset, y: y + inset, w: w - 2 * inset, h: h - 2 * inset };
  };
  const d = rounded(outline(cells, field, 0.2 * pitch.h), 0.1 * pitch.h + 1.5);
  const first = cells[0] && field(cells[0]);
  const radius = Math.max(6.6, 0.19 * pitch.h);
  return (
    <g class="board-outline">
      <path class="casing" d={d} pathLength={1} />
      <path class="line" d={d} pathLength={1} />
      {first && number !== undefined && (
        <g
          class="badge"
          transform={`translate(${first.x + 0.45 * radius} ${first.y + 0.45 * radius})`}
        >
          <circle r={radius} />
          <text dy=".36em" font-size={1.4 * radius}>
            {number}
          </text>
        </g>
      )}
    </g>
  );
}

/** Band, rings and outlines round what scores: they differ in shape, never in color. */
export function Marks({ marks, pitch, place }: MarksProps): VNode {
  return (
    <g class="board-marks">
      {marks.row.map(({ cells }) => (
        <Band key={keyOf(cells)} cells={cells} pitch={pitch} place={place} />
      ))}
      {marks.handle.map(({ cells }) => (
        <Rings key={keyOf(cells)} cells={cells} pitch={pitch} place={place} />
      ))}
      {marks.color.map(({ cells, number }) => (
        <Outline key={keyOf(cells)} cells={cells} number={number} pitch={pitch} place={place} />
      ))}
    </g>
  );
}
