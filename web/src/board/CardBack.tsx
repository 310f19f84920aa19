import type { VNode } from "preact";
import { Picture } from "./Picture";

/** The back of a card: veneer with rhombs. */
export function CardBack({ w, h, label }: { w: number; h: number; label?: string }): VNode {
  return (
    <Picture
      class="board-card back"
      box={{ w, h }}
      style={{ "border-radius": "3px" }}
      label={label}
    >
      <use href="#back" width={w} height={h} />
    </Picture>
  );
}
