import { expect, test } from "vitest";
import type { Listing } from "../protocol";
import { inOrder, isOwn, stateWords, whoWords } from "./lists";

const TABLE: Listing = {
  table: "a",
  phase: "playing",
  created: 0,
  updated: 0,
  due: null,
  settings: {
    seats: 2,
    variant: false,
    objectives: null,
    round_seconds: null,
    assist: 1,
    spectators: true,
    practice: false,
    bots: [null, "easy"],
  },
  names: ["Ana", null],
  made_by_you: false,
  your_seat: 0,
  waits_for_you: false,
  round: null,
};

test("what waits for oneself comes first, then what goes on, the newest first", () => {
  const tables: Listing[] = [
    { ...TABLE, table: "over", phase: "finished", updated: 9 },
    { ...TABLE, table: "old" },
    { ...TABLE, table: "new", updated: 5 },
    { ...TABLE, table: "mine", waits_for_you: true, round: 3 },
  ];
  expect(inOrder(tables).map((each) => each.table)).toEqual(["mine", "new", "old", "over"]);
});

test("a list names the others and says how far a table is", () => {
  expect(whoWords(TABLE)).toContain("easy");
  expect(
    whoWords({ ...TABLE, names: ["Ana", "Ben"], settings: { ...TABLE.settings, bots: [] } }),
  ).toBe("Ben");
  expect(stateWords({ ...TABLE, waits_for_you: true, round: 3 })).toBe(
    "It is your turn · Round 3 of 6",
  );
  expect(stateWords({ ...TABLE, waits_for_you: true, round: 0 })).toContain("Starting cards");
  expect(stateWords({ ...TABLE, phase: "waiting", your_seat: null })).toContain("2 of 2");
});

test("only a table without other people ends with a click", () => {
  expect(isOwn(TABLE)).toBe(true);
  expect(isOwn({ ...TABLE, names: ["Ana", "Ben"] })).toBe(false);
  const empty: Listing = { ...TABLE, phase: "waiting", your_seat: null, names: [null, null] };
  expect(isOwn(empty)).toBe(false);
  expect(isOwn({ ...empty, made_by_you: true })).toBe(true);
  expect(isOwn({ ...empty, made_by_you: true, names: ["Ben", null] })).toBe(false);
  expect(isOwn({ ...TABLE, phase: "finished" })).toBe(false);
});
