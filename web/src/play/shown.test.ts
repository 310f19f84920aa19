import { describe, expect, it } from "vitest";
import type { MarksInfo } from "../marks";
import { added, boardWith, whole } from "./shown";

type Cells = [number, number][];

const marks = (color: Cells[], handle: Cells[] = [], row: Cells = []): MarksInfo => ({
  color: { count: color.length, points: 0, combinations: color, fits: [], another: false },
  handle: { count: handle.length, points: 0, combinations: handle, fits: [], another: false },
  row: { length: row.length, points: 0, runs: row.length > 0 ? [row] : [] },
  short: [],
});

describe("the marks of a choice", () => {
  const old: Cells = [
    [0, 0],
    [1, 1],
  ];
  const moved: Cells = [
    [1, 0],
    [2, 1],
  ];
  const fresh: Cells = [
    [0, 3],
    [1, 3],
  ];
  it("are only those that it adds, also when it lies on the left", () => {
    const found = added(marks([old]), marks([fresh, moved]), 1);
    expect(found.color).toEqual([{ cells: fresh, number: 2 }]);
  });
  it("show a row only when it is longer", () => {
    const longer: Cells = [
      [0, 2],
      [1, 2],
      [2, 2],
    ];
    expect(added(marks([], [], old), marks([], [], moved), 0).row).toEqual([]);
    expect(added(marks([], [], old), marks([], [], longer), 0).row).toEqual([{ cells: longer }]);
  });
  it("are all new on an empty board", () => {
    expect(added(undefined, marks([], [old]), 0).handle).toEqual([{ cells: old }]);
  });
  it("are whole for the kinds that are wished", () => {
    const all = whole(marks([old], [fresh]), new Set(["handle"] as const));
    expect(all).toEqual({ color: [], handle: [{ cells: fresh }], row: [] });
  });
});

describe("a board with a choice", () => {
  const board = [{ card: 5, turned: false }];
  it("knows how far the rest moved", () => {
    const left = boardWith(board, { kind: "place", card: 7, turned: true, end: "left" });
    expect(left).toEqual({ board: [{ card: 7, turned: true }, ...board], ghost: [0], by: 1 });
    expect(boardWith(board, { kind: "place", card: 7, turned: true, end: "right" }).by).toBe(0);
    expect(boardWith(board, { kind: "place", card: null, turned: false, end: "left" }).by).toBe(0);
  });
});
