import { expect, test } from "vitest";
import { momentsOf, type Review } from "./coach";

const decision = (move: string, best: string, loss: number) => ({
  round: 1,
  move,
  chosen: move,
  best,
  loss,
  sentence: "",
  options: [
    { move: best, expected: 40 },
    { move, expected: 40 - loss },
  ],
});
const review: Review = {
  players: [
    {
      seat: 1,
      points: 30,
      accuracy: 80,
      loss: 5,
      luck: 0,
      costliest: [1, 0],
      decisions: [decision("L1", "R1", 1), decision("L2", "swap", 4)],
    },
  ],
  par: null,
};

test("the costliest decisions of a seat, with what was expected of both", () => {
  const moments = momentsOf(review, 1);
  expect(moments.map(({ move, best, played, better }) => [move, best, played, better])).toEqual([
    ["L2", "swap", 36, 40],
    ["L1", "R1", 39, 40],
  ]);
  expect(momentsOf(review, 0)).toEqual([]);
});
