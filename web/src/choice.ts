import { formatLaid, type Laid, parseLaid } from "./edition";
import type { OptionInfo } from "./protocol";

export type End = "left" | "right";

/** What one is about to choose: all inputs edit this and nothing else. */
export type Choice =
  | { kind: "start"; laid: Laid[] }
  | { kind: "place"; card: number | null; turned: boolean; end: End };

/** A move that the server has offered or stored. */
export type Move =
  | { kind: "start"; left: Laid; right: Laid }
  | { kind: "place"; laid: Laid; end: End }
  | { kind: "swap" };

/** Nothing chosen yet; the end is the one used last, so that it is no hint. */
export function nothing(round: number, end: End): Choice {
  return round === 0
    ? { kind: "start", laid: [] }
    : { kind: "place", card: null, turned: false, end };
}

/** A move from its text; null for what is none. */
export function parseMove(text: string): Move | null {
  if (text === "swap") return { kind: "swap" };
  const place = /^([LR])(\d{1,2}~?)$/.exec(text);
  if (place?.[2] !== undefined)
    return { kind: "place", laid: parseLaid(place[2]), end: place[1] === "L" ? "left" : "right" };
  const start = /^(\d{1,2}~?),(\d{1,2}~?)$/.exec(text);
  if (start?.[1] !== undefined && start[2] !== undefined)
    return { kind: "start", left: parseLaid(start[1]), right: parseLaid(start[2]) };
  return null;
}

/** The text of a choice, or null while something is missing. */
export function moveOf(choice: Choice): string | null {
  if (choice.kind === "start") {
    const [left, right] = choice.laid;
    return left && right ? `${formatLaid(left)},${formatLaid(right)}` : null;
  }
  if (choice.card === null) return null;
  const laid = formatLaid({ card: choice.card, turned: choice.turned });
  return `${choice.end === "left" ? "L" : "R"}${laid}`;
}

/** The choice that a move's text stands for; null if it is none that can be edited. */
export function choiceOf(text: string): Choice | null {
  const move = parseMove(text);
  if (move?.kind === "start") return { kind: "start", laid: [move.left, move.right] };
  if (move?.kind === "place")
    return { kind: "place", card: move.laid.card, turned: move.laid.turned, end: move.end };
  return null;
}

/** Take a card of the hand; at the start once more puts it back. */
export function take(choice: Choice, card: number): Choice {
  if (choice.kind === "place")
    return card === choice.card ? choice : { ...choice, card, turned: false };
  if (choice.laid.some((each) => each.card === card)) return putBack(choice, card);
  const kept = choice.laid.length < 2 ? choice.laid : choice.laid.slice(0, 1);
  return { kind: "start", laid: [...kept, { card, turned: false }] };
}

/** Put a card back into the hand. */
export function putBack(choice: Choice, card: number): Choice {
  if (choice.kind === "place") return choice.card === card ? { ...choice, card: null } : choice;
  return { kind: "start", laid: choice.laid.filter((each) => each.card !== card) };
}

/** Turn a chosen card by 180 degrees; without a number the one taken last. */
export function turn(choice: Choice, card?: number): Choice {
  if (choice.kind === "place")
    return choice.card === null ? choice : { ...choice, turned: !choice.turned };
  const which = card ?? choice.laid.at(-1)?.card;
  const laid = choice.laid.map((each) =>
    each.card === which ? { ...each, turned: !each.turned } : each,
  );
  return { kind: "start", laid };
}

/** Lay the card at an end. */
export function at(choice: Choice, end: End): Choice {
  return choice.kind === "place" ? { ...choice, end } : choice;
}

/** Exchange left and right at the start. */
export function exchange(choice: Choice): Choice {
  return choice.kind === "start" ? { kind: "start", laid: [...choice.laid].reverse() } : choice;
}

/** What the server offers for a choice; undefined while it is not complete. */
export function optionOf(choice: Choice, options: OptionInfo[]): OptionInfo | undefined {
  const move = moveOf(choice);
  return move === null ? undefined : options.find((option) => option.move === move);
}

/** The options that differ: of two mirrored starts only the first. */
export function folded(options: OptionInfo[]): OptionInfo[] {
  const seen = new Set<string>();
  return options.filter(({ move }) => {
    const parsed = parseMove(move);
    if (parsed?.kind !== "start") return true;
    const mirrored = `${formatLaid(parsed.right)},${formatLaid(parsed.left)}`;
    if (seen.has(mirrored)) return false;
    seen.add(move);
    return true;
  });
}

/** A board with a choice laid on it, and which columns are new. */
export function withChoice(board: Laid[], choice: Choice): { board: Laid[]; fresh: number[] } {
  if (choice.kind === "start")
    return { board: choice.laid, fresh: choice.laid.map((_, column) => column) };
  if (choice.card === null) return { board, fresh: [] };
  const laid = { card: choice.card, turned: choice.turned };
  return choice.end === "left"
    ? { board: [laid, ...board], fresh: [0] }
    : { board: [...board, laid], fresh: [board.length] };
}

/** Whether a choice can still be made with these cards; if not, it is void. */
export function fits(choice: Choice, hand: number[], round: number): boolean {
  if ((choice.kind === "start") !== (round === 0)) return false;
  const cards = choice.kind === "start" ? choice.laid.map((each) => each.card) : [choice.card];
  return cards.every((card) => card === null || hand.includes(card));
}
