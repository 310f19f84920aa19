import type { VNode } from "preact";
import type { Cell, Pitch, Rect } from "./geometry";

/** What scores on a board, in columns of the board as it is shown. */
export interface BoardMarks {
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

const keyOf = (cells: Cell[]): string => cells.join(" ");

function Band({
  cells,
  pitch,
  place,
}: {
  cells: Cell[];
  pitch: Pitch;
  place: MarksProps["place"];
}) {
  const boxes = cells.map(place);
  const first = boxes[0];
  if (first === undefined) return null;
  const high = Math.max(4, 0.13 * pitch.h);
  const y = first.y + pitch.h - high / 2 - 0.5;
  const w = pitch.w * boxes.length - 2;
  return (
    <g class="board-band">
      <rect x={first.x + 1} y={y} width={w} height={high} rx={high / 2} />
      {boxes.slice(1).map(({ x }) => (
        <path key={x} d={`M${x} ${y}v${high}`} />
      ))}
    </g>
  );
}

function Rings({
  cells,
  pitch,
  place,
}: {
  cells: Cell[];
  pitch: Pitch;
  place: MarksProps["place"];
}) {
  const radius = 0.355 * pitch.h;
  const middles = cells.map((cell) => {
    const { x, y, w, h } = place(cell);
    return { x: x + w / 2, y: y + h / 2 };
  });
  const lines = middles.slice(1).map((to, i) => {
    const from = middles[i] ?? to;
    const far = Math.hypot(to.x - from.x, to.y - from.y);
    const dx = ((to.x - from.x) / far) * radius;
    const dy = ((to.y - from.y) / far) * radius;
    return `M${from.x + dx} ${from.y + dy}L${to.x - dx} ${to.y - dy}`;
  });
  const circles = middles.map(({ x, y }) => `M${x - radius} ${y}a${radius} ${radius} 0 1 1 0 .01z`);
  const d = [...circles, ...lines].join("");
  return (
    <g class="board-rings">
      <path class="casing" d={d} />
      <path d={d} />
    </g>
  );
}

function Outline({ cells, place }: { cells: Cell[]; place: MarksProps["place"] }) {
  return (
    <g class="board-outline">
      {cells.map((cell) => {
        const { x, y, w, h } = place(cell);
        return <rect key={keyOf([cell])} x={x + 1} y={y + 1} width={w - 2} height={h - 2} rx={4} />;
      })}
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
      {marks.color.map(({ cells }) => (
        <Outline key={keyOf(cells)} cells={cells} place={place} />
      ))}
    </g>
  );
}
