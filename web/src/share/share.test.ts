import { expect, test } from "vitest";
import type { PlayerResult, Result } from "../over/result";
import { linkOf, shareText } from "./share";

const player: PlayerResult = {
  name: "Ana",
  color: { count: 4, points: 16, combinations: [] },
  handle: { count: 5, points: 15, combinations: [] },
  row: { length: 5, points: 10, runs: [] },
  bonus: 2,
  swap: 1,
  total: 44,
  place: 1,
};
const solo: Result = { players: [player], winners: [0], title: { tier: 3, text: "Solid work" } };
const pair: Result = {
  players: [
    { ...player, place: 1 },
    { ...player, bonus: 0, swap: 0, total: 41, place: 2 },
  ],
  winners: [0],
  title: null,
};
const names = ["Ana", "Ben"];

test("a result in words: with par, without, among others, for those who watched", () => {
  const parts = "Colors 16, handles 15, row 10 + 2, swap kept 1.";
  expect(shareText({ result: solo, mode: "solo", seat: 0, names, par: 53 })).toBe(
    `Sideboards: 44 of 53. ${parts}`,
  );
  expect(shareText({ result: solo, mode: "solo", seat: 0, names, par: null })).toBe(
    `Sideboards, solo: 44 points, Solid work. ${parts}`,
  );
  expect(shareText({ result: pair, mode: "standard", seat: 1, names, par: null })).toBe(
    "Sideboards: 41 points, place 2 of 2. Colors 16, handles 15, row 10.",
  );
  expect(shareText({ result: pair, mode: "variant", seat: null, names, par: null })).toBe(
    "Sideboards: Ana with 44 points. Colors 16, handles 15, row 10 + 2.",
  );
});

test("the link is that of the table", () => {
  expect(linkOf("ab12")).toBe("http://localhost/t/ab12");
});
