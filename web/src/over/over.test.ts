import { expect, test } from "vitest";
import { objective } from "../edition";
import { beatLength, beatsOf, countedSoFar, isCounted, kindsAt } from "./beats";
import { type Cell, lengthOf, marksOf, type PlayerResult, partsOf, ranking } from "./result";
import { fields, ladder, nextTier, onScale, tierOf } from "./solo";
import { whyOf, whyPattern, whyRow } from "./whyNot";

const player: PlayerResult = {
  name: "Ana",
  color: {
    count: 1,
    points: 4,
    combinations: [
      [
        [0, 0],
        [1, 1],
      ],
    ],
  },
  handle: { count: 0, points: 0, combinations: [] },
  row: {
    length: 3,
    points: 6,
    runs: [
      [
        [2, 4],
        [3, 4],
        [4, 4],
      ],
    ],
  },
  bonus: 8,
  swap: 1,
  total: 19,
  place: 1,
};

test("a long name gets two lines", () => {
  expect(["Ana", "Bartholomäus", "Bot 5 (leicht)"].map(lengthOf)).toEqual(["", "long", "long"]);
});

test("parts are counted one after the other, and come to the total", () => {
  const parts = partsOf("standard");
  const beats = beatsOf(parts);
  expect(beats).toEqual(["color", "handle", "row", "bonus", "swap", "total"]);
  const sums = beats.map((_, now) => countedSoFar(player, parts, beats, now));
  expect(sums).toEqual([4, 4, 10, 18, 19, 19]);
  expect(isCounted("row", beats, 1)).toBe(false);
  expect(isCounted("row", beats, 2)).toBe(true);
});

test("the variant has no swap cards to count", () => {
  expect(beatsOf(partsOf("variant"))).not.toContain("swap");
});

test("a beat marks its own kind alone, the last one all; the bonus shows the rows", () => {
  expect(kindsAt("handle")).toEqual(["handle"]);
  expect(kindsAt("bonus")).toEqual(["row"]);
  expect(kindsAt("swap")).toEqual([]);
  expect(kindsAt("total")).toEqual(["color", "handle", "row"]);
  expect(marksOf(player, kindsAt("color"))).toMatchObject({ color: [{ number: 1 }], row: [] });
});

test("the speed of the beats follows the setting", () => {
  expect(beatLength("normal")).toBe(1500);
  expect(beatLength("fast")).toBeLessThan(1000);
  expect(beatLength("none")).toBe(0);
});

test("equal places stay in seating order", () => {
  const at = (place: number) => ({ ...player, place });
  expect(ranking([at(3), at(1), at(4), at(1)])).toEqual([1, 3, 0, 2]);
});

const first: Cell[] = [
  [0, 0],
  [1, 1],
  [2, 0],
];
const second: Cell[] = [
  [3, 0],
  [4, 1],
  [5, 0],
];

test("a drawer is counted, or its neighbours are taken, or nothing fits", () => {
  const between: Cell[] = [
    [2, 0],
    [3, 0],
    [2, 1],
  ];
  const alone: Cell[] = [
    [1, 1],
    [2, 1],
    [3, 3],
  ];
  const combinations = [first, second];
  const fits = [first, second, between, alone];
  expect(whyPattern(combinations, fits, [4, 1])).toEqual({ reason: "counted", number: 2 });
  expect(whyPattern(combinations, fits, [2, 1])).toEqual({ reason: "taken", by: [1] });
  expect(whyPattern(combinations, [first, second, between], [2, 1])).toEqual({
    reason: "taken",
    by: [1, 2],
  });
  expect(whyPattern(combinations, fits, [7, 4])).toEqual({ reason: "fits_not" });
});

test("a drawer outside of the row is told why", () => {
  const runs = player.row.runs;
  const red = { color: "red", handle: null } as const;
  const flower = { color: "pink", handle: "flower" } as const;
  expect(whyRow(runs, objective(17), red, [3, 4])).toEqual({ reason: "counted", number: 1 });
  expect(whyRow(runs, objective(17), red, [0, 0])).toEqual({ reason: "shorter" });
  expect(whyRow(runs, objective(18), red, [0, 0])).toEqual({ reason: "bare" });
  expect(whyRow(runs, objective(20), red, [0, 0])).toEqual({ reason: "other", only: "turquoise" });
  expect(whyRow(runs, objective(24), flower, [0, 0])).toEqual({ reason: "shorter" });
  const given = { ...objective(27), rows: [0, 3] };
  expect(whyRow(runs, given, red, [0, 1])).toEqual({ reason: "rows", rows: [1, 4] });
});

test("handles: a bare drawer says so; until it is known where patterns fit nothing is said", () => {
  const row = objective(17);
  const bare = { color: "red", handle: null } as const;
  const flower = { color: "red", handle: "flower" } as const;
  const known = { color: { fits: [] }, handle: { fits: [] } };
  expect(whyOf("handle", player, known, row, bare, [0, 0])).toEqual({ reason: "bare" });
  expect(whyOf("handle", player, known, row, flower, [0, 0])).toEqual({ reason: "fits_not" });
  expect(whyOf("handle", player, undefined, row, flower, [0, 0])).toBeUndefined();
  expect(whyOf("color", player, undefined, row, flower, [0, 0])).toEqual({
    reason: "counted",
    number: 1,
  });
});

test("solo tiers begin at 25, 35, 45 and 55", () => {
  expect([0, 24, 25, 34, 35, 44, 45, 54, 55, 90].map(tierOf)).toEqual([
    5, 5, 4, 4, 3, 3, 2, 2, 1, 1,
  ]);
  expect(nextTier(40)).toEqual({ tier: 2, missing: 5 });
  expect(nextTier(55)).toBeNull();
  expect(fields().map(({ from }) => from)).toEqual([0, 25, 35, 45, 55]);
  expect(fields().at(-1)?.to).toBe(70);
  expect([onScale(0), onScale(35), onScale(99)]).toEqual([0, 0.5, 1]);
});

test("the bonus ladder depends on the row objective; only the highest step counts", () => {
  const longest = { ...objective(17), runs: "longest" } as const;
  const two = { ...objective(15), runs: "two longest" } as const;
  expect(ladder(longest, 7).map((step) => step.reached)).toEqual([false, true, false]);
  expect(ladder(longest, 3).some((step) => step.reached)).toBe(false);
  expect(ladder(two, 11).map((step) => [step.length, step.bonus, step.reached])).toEqual([
    [7, 2, false],
    [9, 4, false],
    [11, 8, true],
  ]);
});
