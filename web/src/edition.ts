import { boot, type Color, type Drawer, type Handle, type ObjectiveInfo } from "./boot";

const COLORS: Record<string, Color> = {
  R: "red",
  T: "turquoise",
  P: "pink",
  O: "orange",
  B: "black",
};
const HANDLES: Record<string, Handle> = { f: "flower", s: "square", b: "bar" };

/** A card as it lies: its number, and whether it is turned. */
export interface Laid {
  card: number;
  turned: boolean;
}

/** The five drawers of a card spelled out, from top to bottom: `RfTPsOBb`. */
export function drawersOf(spelled: string): Drawer[] {
  return Array.from(spelled.matchAll(/([RTPOB])([fsb]?)/g), ([, color = "R", handle = ""]) => ({
    color: COLORS[color] ?? "red",
    handle: HANDLES[handle] ?? null,
  }));
}

const cards: Drawer[][] = boot.cards.map(drawersOf);

/** The drawers of a card as it lies, from top to bottom. */
export function drawers(laid: Laid): Drawer[] {
  const found = cards[laid.card - 1] ?? [];
  return laid.turned ? [...found].reverse() : found;
}

/** The objective with a number. */
export function objective(number: number): ObjectiveInfo {
  const found = boot.objectives.find((each) => each.number === number);
  if (found === undefined) throw new Error(`there is no objective ${number}`);
  return found;
}

/** `17~` as a card that lies. */
export function parseLaid(text: string): Laid {
  return { card: Number.parseInt(text, 10), turned: text.endsWith("~") };
}

/** A card that lies, as text. */
export function formatLaid(laid: Laid): string {
  return `${laid.card}${laid.turned ? "~" : ""}`;
}

/** The cards of a board, from left to right: `17 42~ 8`. */
export function parseBoard(text: string): Laid[] {
  return text.split(" ").filter(Boolean).map(parseLaid);
}

/** A board as text. */
export function formatBoard(board: Laid[]): string {
  return board.map(formatLaid).join(" ");
}
