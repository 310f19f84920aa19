import { signal } from "@preact/signals";
import type { Laid } from "../edition";
import { swallowClick } from "./click";

/** What can be looked at closely. */
export type Thing =
  | { what: "card"; laid: Laid }
  | { what: "board"; seat: number }
  | { what: "objective"; number: number };

/** What is looked at right now, and where it lies on the screen. */
export const inspected = signal<{ thing: Thing; box: DOMRect } | null>(null);

type On = PointerEvent & { currentTarget: HTMLElement };

const LONG = 400;
const RESTS = 500;
/** A finger is never quite still. */
export const FAR = 8;

let timer: ReturnType<typeof setTimeout> | undefined;
let finger = false;

/** Whether a finger is down: what a browser calls a right click is then a long press. */
export const byFinger = (): boolean => finger;

/** Look at nothing any more. */
export function lookAway(): void {
  clearTimeout(timer);
  inspected.value = null;
}

function lookAfter(wait: number, thing: Thing, on: HTMLElement): void {
  lookAway();
  timer = setTimeout(() => {
    inspected.value = { thing, box: on.getBoundingClientRect() };
  }, wait);
}

/** Show something large as long as a finger rests on it; it then was no tap, and no drag. */
export function press(event: On, thing: Thing): void {
  lookAway();
  if (event.pointerType === "mouse") return;
  const { clientX, clientY, pointerId } = event;
  finger = true;
  lookAfter(LONG, thing, event.currentTarget);

  function move(next: PointerEvent): void {
    if (next.pointerId !== pointerId || inspected.peek() !== null) return;
    if (Math.hypot(next.clientX - clientX, next.clientY - clientY) >= FAR) clearTimeout(timer);
  }
  function end(next: PointerEvent): void {
    if (next.pointerId !== pointerId) return;
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    finger = false;
    if (inspected.peek() !== null) swallowClick();
    lookAway();
  }
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

/** Show something large while the mouse rests on it. */
export function rest(event: On, thing: Thing): void {
  if (event.pointerType === "mouse" && event.buttons === 0)
    lookAfter(RESTS, thing, event.currentTarget);
}
