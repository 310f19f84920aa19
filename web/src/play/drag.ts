import { signal } from "@preact/signals";
import { swallowClick } from "./click";
import { FAR, inspected } from "./inspect";

/** The card that hangs at the pointer right now. */
export const dragged = signal<{ card: number; x: number; y: number } | null>(null);

/** Where something was dropped: on which half of the board, or in the hand. */
export type Drop = "left" | "right" | "hand" | null;

function dropAt(x: number, y: number): Drop {
  const found = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-drop]");
  if (found == null) return null;
  if (found.dataset.drop === "hand") return "hand";
  const box = found.getBoundingClientRect();
  return x < box.left + box.width / 2 ? "left" : "right";
}

/** Let a card be dragged; a press that does not move stays a click. */
export function drag(event: PointerEvent, card: number, drop: (where: Drop) => void): void {
  if (event.button !== 0) return;
  const { clientX, clientY, pointerId } = event;
  let moved = false;

  function move(next: PointerEvent): void {
    if (next.pointerId !== pointerId || inspected.peek() !== null) return;
    if (!moved && Math.hypot(next.clientX - clientX, next.clientY - clientY) < FAR) return;
    moved = true;
    dragged.value = { card, x: next.clientX, y: next.clientY };
  }
  function end(next: PointerEvent): void {
    if (next.pointerId !== pointerId) return;
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    dragged.value = null;
    if (!moved) return;
    swallowClick();
    if (next.type === "pointerup") drop(dropAt(next.clientX, next.clientY));
  }
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}
