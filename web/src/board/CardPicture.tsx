import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { Drawer } from "../boot";
import { drawers, type Laid } from "../edition";
import { cardSize, frame, frontRect, type Pitch } from "./geometry";
import { Picture } from "./Picture";

/** The id of a drawer's picture in the sprite. */
function drawerId({ color, handle }: Drawer): string {
  return `#d-${color}-${handle ?? "none"}`;
}

/** The measures that the sprite's drawers read as variables. */
export function measures(pitch: Pitch): Record<string, string> {
  return { "--handle": String(frame(pitch).handle / 24) };
}

interface FaceProps {
  laid: Laid;
  pitch: Pitch;
  x?: number;
  y?: number;
  /** Of the carcass: nearly none where cards stand side by side. */
  radius: number;
}

/** A card with its carcass, inside of a larger picture. */
export function CardFace({ laid, pitch, x = 0, y = 0, radius }: FaceProps): VNode {
  return useMemo(
    () => face({ laid, pitch, x, y, radius }),
    [laid.card, laid.turned, pitch.w, pitch.h, x, y, radius],
  );
}

function face({ laid, pitch, x, y, radius }: Required<FaceProps>): VNode {
  const { stile, rail } = frame(pitch);
  const size = cardSize(pitch);
  const edge = radius > 1 ? radius : 0; // side by side, the edges of cards are one line
  const whole = { width: size.w, height: size.h, rx: radius };
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect class="board-wood" {...whole} />
      <rect class="board-grain" {...whole} />
      <rect class="board-edge" x={edge} width={size.w - 2 * edge} height={1} />
      <rect
        class="board-recess"
        x={stile}
        y={rail}
        width={size.w - 2 * stile}
        height={size.h - 2 * rail}
        rx={1.6}
      />
      {drawers({ ...laid, turned: false }).map((drawer, printed, all) => {
        // In the printed order also when it is turned: elements that are moved are built anew.
        const front = frontRect(laid.turned ? all.length - 1 - printed : printed, pitch);
        return (
          <use
            key={drawer.color}
            class="board-drawer"
            href={drawerId(drawer)}
            x={front.x}
            y={front.y}
            width={front.w}
            height={front.h}
          />
        );
      })}
    </g>
  );
}

interface CardProps {
  laid: Laid;
  pitch: Pitch;
  /** In the hand and on the desk a card has round corners and a shadow. */
  kind?: "hand" | "board" | "desk";
  label?: string;
}

/** One card. */
export function CardPicture({ laid, pitch, kind = "hand", label }: CardProps): VNode {
  const { w, h } = cardSize(pitch);
  const radius = kind === "board" ? 0.5 : frame(pitch).radius;
  return (
    <Picture
      class={`board-card ${kind}`}
      box={{ w, h }}
      style={{ ...measures(pitch), "border-radius": `${radius}px` }}
      label={label}
    >
      <CardFace laid={laid} pitch={pitch} radius={radius} />
    </Picture>
  );
}
