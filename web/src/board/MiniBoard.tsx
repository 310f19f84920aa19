import type { VNode } from "preact";
import { drawers, type Laid } from "../edition";
import { Picture } from "./Picture";

interface MiniProps {
  board: Laid[];
  width: number;
  height: number;
  label?: string;
}

const COLUMNS = 8;

/** A whole board, small: five steps of lightness, no textures, no handles. */
export function MiniBoard({ board, width, height, label }: MiniProps): VNode {
  const legs = Math.round(height * 0.15);
  const plank = height < 30 ? 1.5 : 2;
  const edge = 1;
  const w = (width - 2 * edge - 2) / COLUMNS;
  const h = (height - legs - plank - 2 * edge) / 5;
  const wide = Math.max(board.length, 2) * w + 2 * edge;
  const left = (width - wide) / 2;
  return (
    <Picture class="board-mini" box={{ w: width, h: height }} label={label}>
      <rect class="board-plank" x={left - 1} width={wide + 2} height={plank} rx={0.6} />
      <rect class="board-back" x={left} y={plank} width={wide} height={5 * h + 2 * edge} rx={0.8} />
      {board.map((laid, column) =>
        drawers(laid).map((drawer, row) => (
          <rect
            key={`${laid.card}-${drawer.color}`}
            fill={`url(#paint-${drawer.color})`}
            x={left + edge + column * w + 0.3}
            y={plank + edge + row * h + 0.3}
            width={w - 0.6}
            height={h - 0.6}
            rx={0.5}
          />
        )),
      )}
      {[1, -1].map((side) => {
        const x = side === 1 ? left + 3 : left + wide - 3;
        const top = height - legs;
        return (
          <path
            key={side}
            class="board-leg"
            d={`M${x} ${top}h${2 * side}L${x} ${height}h${-1.4 * side}z`}
          />
        );
      })}
    </Picture>
  );
}
