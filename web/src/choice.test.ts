import { expect, test } from "vitest";
import {
  at,
  choiceOf,
  exchange,
  fits,
  folded,
  moveOf,
  nothing,
  optionOf,
  parseMove,
  putBack,
  take,
  turn,
  withChoice,
} from "./choice";

test("a placement is edited step by step, and its text is the move", () => {
  let choice = nothing(3, "right");
  expect(moveOf(choice)).toBeNull();
  choice = take(choice, 17);
  expect(moveOf(choice)).toBe("R17");
  choice = turn(at(choice, "left"));
  expect(moveOf(choice)).toBe("L17~");
  choice = take(choice, 42);
  expect(moveOf(choice)).toBe("L42");
  expect(moveOf(putBack(choice, 42))).toBeNull();
});

test("a start takes two cards, the third replaces the second, once more puts it back", () => {
  let choice = take(take(nothing(0, "left"), 12), 40);
  expect(moveOf(choice)).toBe("12,40");
  choice = turn(choice);
  expect(moveOf(choice)).toBe("12,40~");
  expect(moveOf(exchange(choice))).toBe("40~,12");
  expect(moveOf(turn(choice, 12))).toBe("12~,40~");
  expect(moveOf(take(choice, 7))).toBe("12,7");
  expect(take(choice, 12)).toEqual({ kind: "start", laid: [{ card: 40, turned: true }] });
});

test.each(["L17~", "R8", "12,40~", "12~,40"])("the choice of %s is that move again", (text) => {
  const choice = choiceOf(text);
  expect(choice && moveOf(choice)).toBe(text);
});

test.each(["", "17", "X17", "L", "12,", "undo", "L170"])("%j is no move", (text) => {
  expect(parseMove(text)).toBeNull();
});

test("the option of a choice is the server's", () => {
  const options = [{ move: "L17" }, { move: "R17" }, { move: "swap" }];
  expect(optionOf(take(nothing(1, "right"), 17), options)).toBe(options[1]);
  expect(optionOf(nothing(1, "right"), options)).toBeUndefined();
  expect(optionOf(turn(take(nothing(1, "right"), 17)), options)).toBeUndefined();
});

test("of two mirrored starts one is listed", () => {
  const moves = ["1,2", "1,2~", "2,1", "2~,1", "3,1"].map((move) => ({ move }));
  expect(folded(moves).map((option) => option.move)).toEqual(["1,2", "1,2~", "3,1"]);
  const places = [{ move: "L1" }, { move: "R1" }];
  expect(folded(places)).toEqual(places);
});

test("a board with a choice shows which columns are new", () => {
  const board = [{ card: 5, turned: true }];
  const right = withChoice(board, take(nothing(1, "right"), 17));
  expect(right.board.map((laid) => laid.card)).toEqual([5, 17]);
  expect(right.fresh).toEqual([1]);
  const left = withChoice(board, take(nothing(1, "left"), 17));
  expect(left.board.map((laid) => laid.card)).toEqual([17, 5]);
  expect(left.fresh).toEqual([0]);
  expect(withChoice(board, nothing(1, "left")).fresh).toEqual([]);
});

test("a choice is void with another hand or in another kind of round", () => {
  const choice = take(nothing(2, "left"), 17);
  expect(fits(choice, [17, 3], 2)).toBe(true);
  expect(fits(choice, [4, 3], 3)).toBe(false);
  expect(fits(choice, [17, 3], 0)).toBe(false);
  expect(fits(nothing(2, "left"), [4, 3], 2)).toBe(true);
});
