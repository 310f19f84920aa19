import { at, exchange, take, turn } from "../choice";
import type { Place } from "../place";
import { type Desk, handOf } from "./desk";

/** What a key can ask of the screen besides the choice. */
export interface Shown {
  close: () => boolean;
  keys: () => void;
  options: () => void;
}

const REGIONS: Record<string, string> = { o: "table", t: "objectives", v: "preview", b: "board" };

/** Whether a key was meant for something that is written or chosen in. */
function elsewhere(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.closest("input, select, textarea, dialog, [contenteditable]") !== null;
}

/** Do what a key says; true if it said something. */
export function press(event: KeyboardEvent, place: Place, desk: Desk, shown: Shown): boolean {
  const view = place.view.peek();
  if (view === null || event.ctrlKey || event.metaKey || event.altKey) return false;
  if (elsewhere(event.target)) return false;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const digit = Number.parseInt(key, 10);
  const card = handOf(view)[digit - 1];
  if (card !== undefined && key === String(digit)) {
    desk.edit((now) => take(now, card));
    return true;
  }
  const region = REGIONS[key];
  if (region !== undefined) {
    const found = document.getElementById(region);
    (found?.querySelector<HTMLElement>("button:not([disabled])") ?? found)?.focus();
    if (region === "board" || region === "preview") found?.focus();
    return true;
  }
  switch (key) {
    case "ArrowLeft":
    case "ArrowRight":
      desk.edit((now) => at(now, key === "ArrowLeft" ? "left" : "right"));
      return true;
    case "f":
      desk.edit((now) =>
        event.shiftKey && now.kind === "start" ? turn(now, now.laid[0]?.card) : turn(now),
      );
      return true;
    case "x":
      desk.edit(exchange);
      return true;
    case "s":
      if (view.options.some((option) => option.move === "swap")) desk.question.value = "swap";
      return true;
    case "l":
      shown.options();
      return true;
    case "?":
      shown.keys();
      return true;
    case "Enter":
      return enter(event, desk);
    case "Escape":
      return stepBack(desk, shown);
    default:
      return false;
  }
}

/** Enter locks, also on the chosen card itself; any other button keeps its own Enter. */
function enter(event: KeyboardEvent, desk: Desk): boolean {
  const button = event.target instanceof HTMLElement ? event.target.closest("button, a, ol") : null;
  if (button !== null && button.getAttribute("aria-pressed") !== "true") return false;
  if (desk.question.peek() === "swap") desk.ask("swap");
  else if (!event.repeat) desk.lock();
  return true;
}

/** Esc takes back the nearest thing: a panel, a question, the lock. */
function stepBack(desk: Desk, shown: Shown): boolean {
  if (shown.close()) return true;
  if (desk.question.peek() !== null) desk.question.value = null;
  else desk.reopen();
  return true;
}
