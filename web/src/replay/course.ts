import { parseMove } from "../choice";
import type { Replay, RoundInfo } from "../protocol";
import { moveWords } from "../sentences";
import { signed, t } from "../words";

/** What a seat did in a round: its moves as texts, a swap first. */
export function movesOf(round: RoundInfo, seat: number): string[] {
  return round.moves.flatMap((line) => {
    const [who, move = ""] = line.split(" ");
    return Number(who) === seat ? [move] : [];
  });
}

/** Which columns of a board are new after a round. */
export function freshColumns(round: RoundInfo, seat: number): number[] {
  const cards = (round.boards[seat] ?? "").split(" ").map((text) => Number.parseInt(text, 10));
  const laid = movesOf(round, seat).flatMap((text) => {
    const move = parseMove(text);
    if (move?.kind === "start") return [move.left.card, move.right.card];
    return move?.kind === "place" ? [move.laid.card] : [];
  });
  return cards.flatMap((card, column) => (laid.includes(card) ? [column] : []));
}

/** How many points a round brought a seat. */
export function gainOf(replay: Replay, round: number, seat: number): number {
  const after = replay.rounds[round]?.scores[seat]?.total ?? 0;
  const before = round === 0 ? 0 : (replay.rounds[round - 1]?.scores[seat]?.total ?? 0);
  return after - before;
}

/** What a seat did and what it brought: "Ana swapped the hand. Ana laid 24, left: +6". */
export function courseWords(
  replay: Replay,
  round: number,
  seat: number,
  name: string | null,
): string {
  const shown = replay.rounds[round];
  if (shown === undefined) return "";
  const sentences = movesOf(shown, seat).flatMap((text) => {
    const move = parseMove(text);
    return move === null ? [] : [moveWords(move, name)];
  });
  const last = sentences.pop() ?? "";
  const gain = signed(gainOf(replay, round, seat));
  return [...sentences, t("web.say.gained", { sentence: last, gain })].join(". ");
}

/** The points of every seat after each round, as a chart needs them. */
export function curves(replay: Replay): number[][] {
  const seats = replay.rounds[0]?.scores.length ?? 0;
  return Array.from({ length: seats }, (_, seat) =>
    replay.rounds.map((round) => round.scores[seat]?.total ?? 0),
  );
}
