import { expect, test } from "vitest";
import { parseMove } from "../choice";
import type { PointsInfo, Replay } from "../protocol";
import { moveWords } from "../sentences";
import { courseWords, curves, freshColumns, gainOf, movesOf } from "./course";

const points = (total: number): PointsInfo => ({
  color: 0,
  handle: 0,
  row: total,
  bonus: 0,
  swap: 0,
  total,
});
const replay: Replay = {
  mode: "standard",
  objectives: [3, 8, 19],
  names: ["Ana", "Ben"],
  rounds: [
    {
      round: 0,
      hands: [[[1, 2, 3]], [[4, 5, 6]]],
      moves: ["0 1,2~", "1 4,5"],
      boards: ["1 2~", "4 5"],
      scores: [points(4), points(2)],
    },
    {
      round: 1,
      hands: [
        [[6, 9]],
        [
          [3, 10],
          [11, 12],
        ],
      ],
      moves: ["1 swap", "0 L9", "1 R11~"],
      boards: ["9 1 2~", "4 5 11~"],
      scores: [points(9), points(1)],
    },
  ],
};

test("moves of a seat, a swap first, and where its new cards lie", () => {
  const [start, first] = replay.rounds;
  if (start === undefined || first === undefined) throw new Error("two rounds");
  expect(movesOf(first, 1)).toEqual(["swap", "R11~"]);
  expect(freshColumns(start, 0)).toEqual([0, 1]);
  expect(freshColumns(first, 0)).toEqual([0]);
  expect(freshColumns(first, 1)).toEqual([2]);
});

test("what a round brought, in points and in words", () => {
  expect(gainOf(replay, 0, 0)).toBe(4);
  expect(gainOf(replay, 1, 1)).toBe(-1);
  const [placed, swapped, turned] = ["L9", "swap", "R11~"].map(parseMove);
  if (!placed || !swapped || !turned) throw new Error("three moves");
  expect(courseWords(replay, 1, 0, null)).toBe(`${moveWords(placed, null)}: +5`);
  const both = `${moveWords(swapped, "Ben")}. ${moveWords(turned, "Ben")}: −1`;
  expect(courseWords(replay, 1, 1, "Ben")).toBe(both);
});

test("the curves of all seats", () => {
  expect(curves(replay)).toEqual([
    [4, 9],
    [2, 1],
  ]);
});
