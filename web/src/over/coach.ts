import { useEffect, useState } from "preact/hooks";
import { await_, Refusal } from "../api";
import { language } from "../words";
import { sentenceOf } from "./scene";

/** One decision, judged by the coach. */
export interface Decision {
  round: number;
  move: string;
  chosen: string;
  best: string;
  loss: number;
  sentence: string;
  options: { move: string; expected: number }[];
}

/** What the coach says of a game: see docs/coach.md. */
export interface Review {
  players: {
    seat: number;
    points: number;
    accuracy: number;
    loss: number;
    luck: number;
    costliest: number[];
    decisions: Decision[];
  }[];
  par: { total: number } | null;
}

/** A long calculation of the server: how far it is, what it found, or why it cannot. */
export type Work<T> = { progress: number } | { found: T } | { refused: string; code: string };

function codeOf(error: unknown): string {
  return error instanceof Refusal ? error.code : "";
}

/** Ask for a long calculation; null: not yet wanted. */
export function useWork<T>(path: string | null): Work<T> {
  const [work, setWork] = useState<Work<T>>({ progress: 0 });
  useEffect(() => {
    if (path === null) return;
    const gone = new AbortController();
    const show = (work: Work<T>): void => {
      if (!gone.signal.aborted) setWork(work);
    };
    show({ progress: 0 });
    await_<T>(path, (progress) => show({ progress }), gone.signal).then(
      (found) => show({ found }),
      (error: unknown) => show({ refused: sentenceOf(error), code: codeOf(error) }),
    );
    return () => gone.abort();
  }, [path]);
  return work;
}

/** What the coach says of a game; asked for only when wanted. */
export function useCoach(table: string, wanted: boolean): Work<Review> {
  const path = `/api/tables/${table}/coach?language=${language.value}`;
  return useWork<Review>(wanted ? path : null);
}

/** A costly decision with what was expected of it and of the better one. */
export interface Moment extends Decision {
  /** Expected points of what was played, and of the best. */
  played: number;
  better: number;
}

/** The costliest decisions of a seat, the costliest first. */
export function momentsOf(review: Review, seat: number): Moment[] {
  const lesson = review.players.find((each) => each.seat === seat);
  if (lesson === undefined) return [];
  return lesson.costliest.flatMap((place) => {
    const decision = lesson.decisions[place];
    if (decision === undefined) return [];
    const expected = (move: string) =>
      decision.options.find((option) => option.move === move)?.expected ?? 0;
    return { ...decision, played: expected(decision.chosen), better: expected(decision.best) };
  });
}
