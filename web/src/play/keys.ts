import { at, exchange, take, turn } from "../choice";
import type { Place } from "../place";
import type { ViewInfo } from "../protocol";
import { settings } from "../settings";
import { type Desk, handOf } from "./desk";
import { deedOf, lettersOf } from "./letters";

/** What a key can ask of the screen besides the choice. */
export interface Shown {
  close: () => boolean;
  keys: () => void;
  options: () => void;
}

/** Which part of the page a letter goes to. */
const REGIONS = {
  others: "table",
  objectives: "objectives",
  preview: "preview",
  board: "board",
};

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
  if ([...event.key].length === 1) return settings.peek().keys && sign(event, view, desk, shown);
  switch (event.key) {
    case "ArrowLeft":
    case "ArrowRight": {
      const end = event.key === "ArrowLeft" ? "left" : "right";
      desk.edit((now) => at(now, end));
      return true;
    }
    case "Enter":
      return enter(event, desk);
    case "Escape":
      return stepBack(desk, shown);
    default:
      return false;
  }
}

/** Do what a letter, a digit or a question mark says. */
function sign(event: KeyboardEvent, view: ViewInfo, desk: Desk, shown: Shown): boolean {
  const card = handOf(view)[Number.parseInt(event.key, 10) - 1];
  if (card !== undefined) {
    desk.edit((now) => take(now, card));
    return true;
  }
  if (event.key === "?") {
    shown.keys();
    return true;
  }
  const deed = deedOf(event.key.toLowerCase(), lettersOf(settings.peek().letters));
  switch (deed) {
    case undefined:
      return false;
    case "turn":
      desk.edit((now) =>
        event.shiftKey && now.kind === "start" ? turn(now, now.laid[0]?.card) : turn(now),
      );
      return true;
    case "exchange":
      desk.edit(exchange);
      return true;
    case "swap":
      if (view.options.some((option) => option.move === "swap")) desk.question.value = "swap";
      return true;
    case "options":
      shown.options();
      return true;
    default:
      look(deed);
      return true;
  }
}

/** Go to a part of the page: to its first button, or to the part itself. */
function look(deed: keyof typeof REGIONS): void {
  const found = document.getElementById(REGIONS[deed]);
  const first = found?.querySelector<HTMLElement>("button:not([disabled])");
  const whole = deed === "board" || deed === "preview";
  (whole ? found : (first ?? found))?.focus();
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
