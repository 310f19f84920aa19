import type { VNode } from "preact";
import { fitPitch, PHONE } from "../board/geometry";
import { Sideboard } from "../board/Sideboard";
import { parseBoard } from "../edition";
import { screen } from "../play/layout";

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
  const desk = w >= 900;
  const pitch = desk
    ? fitPitch(w - 720, h * 0.6, { w: 84, h: 58 }, 8)
    : fitPitch(Math.min(w - 24, 420), h * 0.26, PHONE, 8);
  return (
    <div class="stage showroom">
      {desk && <Lamp />}
      <Sideboard board={FINISHED} pitch={pitch} wide={8} winner={desk} />
    </div>
  );
}
