import { expect, test } from "vitest";
import { cutBefore } from "./record";

const head =
  "sideboards-record-1\nedition: Own abc\nmode: standard\nseats: 2\nobjectives: 3,8,19\n";
const names = "player 0: 5 apples\nplayer 1: Ben\n";
const rounds = ["0 1,2\n1 4,5~\n", "1 swap\n0 L3\n1 R9~\n", "0 swap\n0 L7\n1 L8\n"];

test("a record is cut before a round; swaps belong to their round, names are left out", () => {
  const record = head + names + rounds.join("");
  expect(cutBefore(record, 0)).toBe(head);
  expect(cutBefore(record, 1)).toBe(head + rounds[0]);
  expect(cutBefore(record, 2)).toBe(head + rounds[0] + rounds[1]);
  expect(cutBefore(record, 3)).toBe(head + rounds.join(""));
});
