import { describe, expect, it } from "vitest";
import { boardSize, cardSize } from "../board/geometry";
import { layoutOf, seatRoom } from "./layout";

describe("the layout", () => {
  it("goes by the size of the screen", () => {
    expect(layoutOf(360, 560).kind).toBe("phone");
    expect(layoutOf(844, 390).kind).toBe("side");
    expect(layoutOf(1280, 800).kind).toBe("desk");
    expect(layoutOf(320, 560).kind).toBe("stack");
    expect(layoutOf(360, 400).kind).toBe("stack");
  });
  it("has drawers of the size that each screen is made for", () => {
    expect(layoutOf(1280, 800).board).toEqual({ w: 64, h: 44 });
    expect(layoutOf(1024, 800).board).toEqual({ w: 58, h: 42 });
    expect(layoutOf(360, 640).board.w).toBeCloseTo(38.2, 1);
  });
  it.each([
    [360, 560],
    [360, 640],
    [412, 915],
    [640, 360],
    [844, 390],
    [1024, 600],
    [1280, 720],
    [1920, 1080],
  ])("leaves room for board and hand on %i x %i", (width, height) => {
    for (const cards of [2, 3, 4]) {
      const { board, hand } = layoutOf(width, height, cards);
      expect(boardSize(board).w).toBeLessThanOrEqual(width);
      expect(boardSize(board).h + cardSize(hand).h).toBeLessThan(height - 88);
      expect(cards * hand.w).toBeLessThanOrEqual(width - 16);
      expect(cardSize(hand).h).toBeGreaterThanOrEqual(44);
    }
  });
  it("never changes with what is chosen, only with the number of cards", () => {
    expect(layoutOf(360, 560, 2).board).toEqual(layoutOf(360, 560, 4).board);
  });
  it("knows how much of a name fits", () => {
    expect(seatRoom("phone", 360, 5).letters).toBeLessThan(seatRoom("phone", 360, 2).letters);
    expect(seatRoom("phone", 360, 3).label).toBeGreaterThanOrEqual("gives you one".length);
  });
});
