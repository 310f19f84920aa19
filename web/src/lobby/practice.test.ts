import { expect, test } from "vitest";
import { practiceOf } from "./practice";

const RECORD = `sideboards-record-1
mode: standard
seats: 2
objectives: 3,8,19
deck: 2 9 13 31 36
refill: 1 2 3
`;

test("a record shows its objectives and the first three cards", () => {
  expect(practiceOf(RECORD)).toEqual({ objectives: [3, 8, 19], hand: [2, 9, 13] });
});

test.each(["", "sideboards-record-1", RECORD.replace("deck: 2 9 13 31 36", "deck: 2 9")])(
  "%j is no deal",
  (text) => {
    expect(practiceOf(text)).toBeNull();
  },
);
