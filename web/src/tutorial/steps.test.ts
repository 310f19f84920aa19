import { expect, test } from "vitest";
import type { Scene } from "../play/scene";
import { doneIn, stepsOf } from "./PlayTips";
import { note, restart, STEPS, skip, wasSeen } from "./seen";

const POINTS = { bonus: 0, color: 0, handle: 0, row: 0, swap: 1, total: 1 };

/** A scene as far as tips look at it. */
function scene(some: object, view: object = {}): Scene {
  const seen = {
    boards: ["", ""],
    objectives: [3, 8, 19],
    options: [{ move: "1,2" }],
    public: { swaps: [true, true] },
    ...view,
  };
  const choice = { kind: "start", laid: [] };
  const base = { seat: 0, replaced: false, round: 0, locked: false, points: POINTS, choice };
  return { ...base, view: seen, ...some } as unknown as Scene;
}
const card = (number: number) => ({ card: number, turned: false });
const two = { kind: "start", laid: [card(1), card(2)] };

test("a first game brings its tips one after the other", () => {
  expect(stepsOf(scene({}))).toEqual(["objectives", "hand"]);
  expect(stepsOf(scene({ choice: two, preview: { gain: 3 } }))).toEqual(["match", "lock"]);
  expect(stepsOf(scene({ choice: two, preview: { gain: 0 } }))).toEqual(["lock"]);
  expect(stepsOf(scene({ choice: two, locked: true }))).toEqual([]);
  const swap = { options: [{ move: "swap" }] };
  const idle = { kind: "place", card: null, turned: false, end: "left" };
  expect(stepsOf(scene({ round: 1, choice: idle }, swap))).toEqual(["pass", "swap"]);
  expect(stepsOf(scene({ round: 1, choice: { ...idle, card: 5 } }, swap))).toEqual([]);
  const row = { ...POINTS, row: 6 };
  expect(stepsOf(scene({ round: 3, choice: idle, points: row }))).toEqual(["pass", "bonus"]);
  expect(stepsOf(scene({ round: 3, choice: idle }))).toEqual(["pass"]);
});

test("nothing is passed on and no row competes when one plays alone; who watches has no tips", () => {
  const row = { ...POINTS, row: 8 };
  expect(stepsOf(scene({ round: 3, points: row }, { boards: [""] }))).toEqual([]);
  expect(stepsOf(scene({ seat: null }))).toEqual([]);
});

test("what was done needs no tip", () => {
  expect(doneIn(scene({}))).toEqual([]);
  expect(doneIn(scene({ choice: two }))).toEqual(["objectives", "hand"]);
  expect(doneIn(scene({ choice: two, locked: true }))).toEqual([
    "objectives",
    "hand",
    "match",
    "lock",
  ]);
  expect(doneIn(scene({ round: 2 }, { public: { swaps: [false, true] } }))).toContain("swap");
});

test("tips are seen once, can be skipped, and come again when asked for", () => {
  restart();
  expect(wasSeen("hand")).toBe(false);
  note("hand");
  expect(wasSeen("hand")).toBe(true);
  expect(wasSeen("swap")).toBe(false);
  skip();
  expect(STEPS.every(wasSeen)).toBe(true);
  restart();
  expect(STEPS.some(wasSeen)).toBe(false);
});
