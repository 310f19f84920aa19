import type { VNode } from "preact";
import { Sideboard } from "../board/Sideboard";
import { parseBoard } from "../edition";
import { layoutOf, screen } from "../play/layout";

const FINISHED = parseBoard("12 27 29~ 56 33 28 55~ 50~");

/** The lamp beside the furniture. */
export function Lamp(): VNode {
  return (
    <svg class="lamp" viewBox="0 0 64 168" aria-hidden="true">
      <use href="#lamp" />
    </svg>
  );
}

/** A finished sideboard against the wall: decoration. */
export function Showroom(): VNode {
  const { w, h } = screen.value;
  const { board } = layoutOf(w, h);
  return (
    <div class="scene showroom">
      <Sideboard board={FINISHED} pitch={board} wide={8} />
    </div>
  );
}
