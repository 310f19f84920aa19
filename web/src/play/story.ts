import { parseMove } from "../choice";
import type { SeatInfo, ViewInfo } from "../protocol";
import { moveWords, nameOf, type Preview, ROUNDS, roundWords } from "../sentences";
import { listed, signed, t } from "../words";

/** A line of the log. */
export interface Line {
  round: number;
  /** Whether a new round begins with it. */
  head: boolean;
  words: string;
}

/** What a round took from a hand and brought into the next one. */
export interface Exchange {
  round: number;
  rest: number[];
  passed: number[];
  drawn: number[];
}

interface Told {
  seat: number;
  move: string;
}

/** The moves of every round that is closed, swaps first. */
export function roundsOf(view: ViewInfo): Told[][] {
  const seats = view.boards.length;
  const rounds: Told[][] = [];
  let open: Told[] = [];
  for (const line of view.played) {
    const [seat = "0", move = ""] = line.split(" ");
    open.push({ seat: Number(seat), move });
    if (open.filter((each) => each.move !== "swap").length === seats) {
      rounds.push(open);
      open = [];
    }
  }
  return rounds;
}

/** The cards of a move. */
function cardsOf(text: string): number[] {
  const move = parseMove(text);
  if (move?.kind === "place") return [move.laid.card];
  return move?.kind === "start" ? [move.left.card, move.right.card] : [];
}

/** How a hand came about: passed cards stand first, the drawn ones behind them. */
export function drawnFrom(view: ViewInfo, hand: number[], swapped: boolean): number {
  if (swapped || view.public.round === 0 || view.mode === "solo") return 0;
  return hand.length - 1;
}

/** What a seat passed on and got, round by round. */
export function exchangesOf(view: ViewInfo): Exchange[] {
  const seat = view.seat;
  const hands = seat === null ? null : view.hands[seat];
  if (seat === null || hands == null) return [];
  let at = 0;
  return roundsOf(view).map((told, round) => {
    const own = told.filter((each) => each.seat === seat);
    at += own.length;
    const laid = cardsOf(own.at(-1)?.move ?? "");
    const rest = (hands[at - 1] ?? []).filter((card) => !laid.includes(card));
    const next = hands[at] ?? [];
    const from = view.mode === "solo" ? 0 : Math.max(0, next.length - 1);
    return { round, rest, passed: next.slice(0, from), drawn: next.slice(from) };
  });
}

/** The sentences of one exchange, in the order in which it happened. */
export function exchangeWords(view: ViewInfo, seats: SeatInfo[], made: Exchange): string[] {
  if (view.seat === null) return [];
  const count = view.boards.length;
  const cards = (list: number[]) => listed(list.map(String));
  const words: string[] = [];
  const thrown = view.mode === "solo" || made.round >= ROUNDS;
  if (made.rest.length > 0)
    words.push(
      thrown
        ? t("web.say.you.discarded", { cards: cards(made.rest) })
        : t("web.say.you.passed", {
            cards: cards(made.rest),
            name: nameOf(seats, (view.seat + 1) % count),
          }),
    );
  if (made.passed.length > 0) {
    const name = nameOf(seats, (view.seat + count - 1) % count);
    words.push(t("web.say.passed_you", { name, cards: cards(made.passed) }));
  }
  if (made.drawn.length > 0) words.push(t("web.say.you.drew", { cards: cards(made.drawn) }));
  return words;
}

/** "You passed 17 to Ana. Peter passed you 42. You drew 8. Round 4 of 6." */
export function closeWords(view: ViewInfo, seats: SeatInfo[]): string {
  const last = exchangesOf(view).at(-1);
  const words = last === undefined ? [] : exchangeWords(view, seats, last);
  return `${[...words, roundWords(view.public.round)].join(". ")}.`;
}

/** The whole log, newest first; `gains`: what own moves brought, as far as it was seen here. */
export function storyOf(view: ViewInfo, seats: SeatInfo[], gains: Map<number, Preview>): Line[] {
  const lines: Line[] = [];
  const exchanges = exchangesOf(view);
  const add = (round: number, words: string, head = false) => lines.push({ round, head, words });
  const told = (seat: number, text: string): string | null => {
    const move = parseMove(text);
    if (move === null) return null;
    return moveWords(move, seat === view.seat ? null : nameOf(seats, seat));
  };
  roundsOf(view).forEach((moves, round) => {
    const own = moves.filter((each) => each.seat === view.seat);
    const others = moves.filter((each) => each.seat !== view.seat);
    for (const { seat, move } of [...own, ...others]) {
      const words = told(seat, move);
      const made = seat === view.seat && move !== "swap" ? gains.get(round) : undefined;
      if (words === null) continue;
      const gain = made === undefined ? "" : signed(made.gain);
      add(round, gain === "" ? words : t("web.say.gained", { sentence: words, gain }));
    }
    const made = exchanges[round];
    if (made !== undefined) for (const words of exchangeWords(view, seats, made)) add(round, words);
    if (round < ROUNDS) add(round + 1, t("web.say.began", { round: roundWords(round + 1) }), true);
  });
  for (const seat of view.public.swapped) {
    const words = told(seat, "swap");
    if (words !== null) add(view.public.round, words);
  }
  return lines.reverse();
}

/** The cards that went to the left neighbour, or away, oldest first. */
export function passedOn(view: ViewInfo): number[] {
  return exchangesOf(view).flatMap((made) => made.rest);
}
