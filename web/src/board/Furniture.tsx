import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { cardSize, frame, legCount, type Pitch, slotRect, VASE } from "./geometry";

interface FurnitureProps {
  count: number;
  pitch: Pitch;
  wide: number;
  free: { left: boolean; right: boolean };
  /** How many cards are shown; what is missing of the first two is dashed. */
  shown: number;
  winner?: boolean;
}

interface LegProps {
  x: number;
  y: number;
  high: number;
  /** -1 leans to the left, 1 to the right, 0 stands straight. */
  lean: number;
}

function Leg({ x, y, high, lean }: LegProps): VNode {
  const top = 0.24 * high + 1.3;
  const foot = 0.1 * high + 0.7;
  const out = lean * 0.2 * high;
  const at = (part: number, half: number) => x + out * part + half;
  const mix = (part: number) => top + (foot - top) * part;
  const brass = 0.8;
  const y1 = y + high * brass;
  const y2 = y + high;
  return (
    <>
      <path
        class="board-leg"
        d={`M${at(0, -top)} ${y}L${at(0, top)} ${y}L${at(1, foot)} ${y2}L${at(1, -foot)} ${y2}z`}
      />
      <path
        class="board-ferrule"
        d={`M${at(brass, -mix(brass))} ${y1}L${at(brass, mix(brass))} ${y1}L${at(1, foot)} ${y2}L${at(1, -foot)} ${y2}z`}
      />
    </>
  );
}

function Slot({
  column,
  count,
  pitch,
  wide,
  text,
}: {
  column: number;
  count: number;
  pitch: Pitch;
  wide: number;
  text?: string;
}): VNode {
  const { x, y, w, h } = slotRect(column, count, pitch, wide);
  const middle = `${x + w / 2} ${y + h / 2}`;
  return (
    <g class="board-slot">
      <rect x={x + 3} y={y + 1} width={w - 6} height={h - 2} rx={4} />
      {text === undefined ? (
        <path class="plus" d={`M${middle}m-5 0h10m-5 -5v10`} />
      ) : (
        <text x={x + w / 2} y={y + h / 2} dy=".36em">
          {text}
        </text>
      )}
    </g>
  );
}

/** Everything of a sideboard but its drawers: top board, plinth, legs, shadow, free ends, vase. */
export function Furniture(props: FurnitureProps): VNode {
  const { count, pitch, wide, free, shown, winner } = props;
  return useMemo(
    () => furniture(props),
    [count, pitch.w, pitch.h, wide, free.left, free.right, shown, winner],
  );
}

function furniture({ count, pitch, wide, free, shown, winner }: FurnitureProps): VNode {
  const { plank, overhang, plinth, legs, inset } = frame(pitch);
  const { x, y, w } = { ...slotRect(0, count, pitch, wide), w: count * pitch.w };
  const bottom = y + cardSize(pitch).h;
  const under = bottom + plinth;
  const many = legCount(w);
  const vase = Math.min(1, pitch.h / 28);
  return (
    <>
      <ellipse
        class="board-shadow"
        cx={x + w / 2}
        cy={under + legs}
        rx={w / 2 + 6}
        ry={Math.min(4.5, 2 + legs * 0.1)}
      />
      {Array.from({ length: many }, (_, i) => (
        <Leg
          key={i}
          x={x + inset + ((w - 2 * inset) * i) / (many - 1)}
          y={under}
          high={legs}
          lean={i === 0 ? -1 : i === many - 1 ? 1 : 0}
        />
      ))}
      <rect class="board-plinth" x={x} y={bottom - 1} width={w} height={plinth + 1} />
      <rect class="board-plank" x={x - overhang} width={w + 2 * overhang} height={plank} rx={1.2} />
      <rect class="board-grain" x={x - overhang} width={w + 2 * overhang} height={plank} rx={1.2} />
      {free.left && <Slot column={-1} count={count} pitch={pitch} wide={wide} />}
      {free.right && <Slot column={count} count={count} pitch={pitch} wide={wide} />}
      {Array.from({ length: Math.max(0, count - shown) }, (_, i) => (
        <Slot
          key={i}
          column={shown + i}
          count={count}
          pitch={pitch}
          wide={wide}
          text={`${shown + i + 1}`}
        />
      ))}
      {winner && (
        <use
          href="#vase"
          x={x + 0.85 * w - (vase * VASE.w) / 2}
          y={-vase * VASE.h}
          width={vase * VASE.w}
          height={vase * VASE.h}
        />
      )}
    </>
  );
}
