import type { VNode } from "preact";
import type { Laid } from "../edition";
import { CardFace, measures } from "./CardPicture";
import { Furniture } from "./Furniture";
import {
  block,
  boardSize,
  type Cell,
  cellAt,
  cellRect,
  type Pitch,
  SLOTS,
  slotRect,
} from "./geometry";
import { type BoardMarks, Marks } from "./Marks";
import { Picture } from "./Picture";

interface SideboardProps {
  /** All cards that are shown, also those not yet laid. */
  board: Laid[];
  pitch: Pitch;
  /** Columns of cards that are only tried. */
  ghost?: number[];
  /** The tried cards are locked in. */
  locked?: boolean;
  /** Free ends to show; an end with a ghost is not free. */
  slots?: { left: boolean; right: boolean };
  marks?: BoardMarks;
  winner?: boolean;
  label?: string;
  /** How many slots wide the picture is: nine, or eight where no card is laid any more. */
  wide?: number;
  onSlot?: (end: "left" | "right") => void;
  onCard?: (column: number) => void;
  onDrawer?: (column: number, height: number) => void;
  /** Which drawers fade. */
  dim?: (column: number, height: number) => boolean;
}

interface TriedProps {
  /** The cards that are tried side by side. */
  at: { x: number; y: number; w: number; h: number };
  locked: boolean;
}

/** A dash and its gap, and how thick the line is. */
const DASH = 10;
const LINE = 2.4;

/** Dashes that go round, side by side: moved lines, so that nothing is drawn anew meanwhile. */
function March({ x, y, width, height }: Record<"x" | "y" | "width" | "height", number>): VNode {
  const [left, top, half] = [x + width, y + height, LINE / 2];
  const sides: [number, number, number, number][] = [
    [x - half, y - half, 0, width],
    [left + half, y - half, 90, height],
    [left + half, top + half, 180, width],
    [x - half, top + half, 270, height],
  ];
  let way = 0;
  return (
    <g class="march">
      {sides.map(([from, above, angle, long]) => {
        const gone = way;
        way += long;
        return (
          <g key={angle} transform={`translate(${from} ${above}) rotate(${angle})`}>
            <svg width={long} height={LINE} aria-hidden="true">
              <path d={`M${-DASH} ${half}h${long + DASH}`} stroke-dashoffset={gone % DASH} />
            </svg>
          </g>
        );
      })}
    </g>
  );
}

/** The line round a card that is tried: dashes that move, or a solid line with a padlock. */
function Tried({ at, locked }: TriedProps): VNode {
  const box = { x: at.x - 0.5, y: at.y - 0.5, width: at.w + 1, height: at.h + 1 };
  return (
    <g class={`board-tried ${locked ? "locked" : ""}`}>
      <rect class="under" rx={3} {...box} />
      <rect class="over" rx={3} {...box} />
      {!locked && <March {...box} />}
      {locked && (
        <g transform={`translate(${at.x + at.w / 2} ${at.y})`}>
          <circle class="seal" r={9.5} />
          <use href="#padlock" x={-6} y={-6.5} width={12} height={12} />
        </g>
      )}
    </g>
  );
}

/** A sideboard: cards side by side under one top board, on legs. */
export function Sideboard(props: SideboardProps): VNode {
  const { board, pitch, ghost = [], marks, label, wide = SLOTS, dim } = props;
  const size = boardSize(pitch, wide);
  const { from, count } = block(board.length, ghost);
  const place = ([column, height]: Cell) => cellRect([column - from, height], count, pitch, wide);
  const free = {
    left: props.slots?.left === true && from === 0,
    right: props.slots?.right === true && from + count >= board.length,
  };

  function touch(event: MouseEvent & { currentTarget: SVGSVGElement }): void {
    const box = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - box.left) * size.w) / box.width;
    const y = ((event.clientY - box.top) * size.h) / box.height;
    const [column, height] = cellAt(x, y, count, pitch, wide);
    if (column === -1 && free.left) props.onSlot?.("left");
    else if (column === count && free.right) props.onSlot?.("right");
    else if (column + from in board) {
      props.onCard?.(column + from);
      props.onDrawer?.(column + from, height);
    }
  }

  return (
    <Picture
      class="board-sideboard"
      box={size}
      style={measures(pitch)}
      onClick={touch}
      label={label}
    >
      <Furniture
        count={count}
        pitch={pitch}
        wide={wide}
        free={free}
        shown={board.length}
        winner={props.winner}
      />
      {board.map((laid, column) => {
        const { x, y } = slotRect(column - from, count, pitch, wide);
        const tried = ghost.includes(column) && !props.locked;
        return (
          <g key={laid.card} class={tried ? "board-ghost" : undefined}>
            <CardFace laid={laid} pitch={pitch} x={x} y={y} radius={0.5} />
          </g>
        );
      })}
      {dim &&
        board.flatMap((_, column) =>
          [0, 1, 2, 3, 4]
            .filter((height) => dim(column, height))
            .map((height) => {
              const { x, y, w, h } = place([column, height]);
              return (
                <rect
                  key={`${column} ${height}`}
                  class="board-dim"
                  x={x}
                  y={y}
                  width={w}
                  height={h}
                />
              );
            }),
        )}
      {ghost.map((column) => (
        <Tried
          key={column}
          at={slotRect(column - from, count, pitch, wide)}
          locked={props.locked === true}
        />
      ))}
      {marks && <Marks marks={marks} pitch={pitch} place={place} />}
    </Picture>
  );
}
