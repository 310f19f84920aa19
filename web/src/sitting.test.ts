import { expect, test } from "vitest";
import { remember, type Sitting } from "./sitting";

test("hands are remembered as they were seen first", () => {
  const sitting: Sitting = {
    table: "T1",
    seat: 0,
    token: "",
    seed: "",
    promise: null,
    opened: false,
  };
  expect(remember(sitting, [[1, 2, 3]])).toBe(true);
  expect(remember(sitting, [[1, 2, 3]])).toBe(false);
  expect(
    remember(sitting, [
      [1, 2, 3],
      [4, 5],
    ]),
  ).toBe(true);
  expect(
    remember(sitting, [
      [9, 2, 3],
      [4, 5],
      [6, 7],
    ]),
  ).toBe(false);
  expect(sitting.seen).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});
