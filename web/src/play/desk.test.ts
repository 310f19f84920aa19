import { describe, expect, it } from "vitest";
import type { Choice } from "../choice";
import type { ViewInfo } from "../protocol";
import { chosen } from "./desk";
import { typed } from "./Options";

const view = (round: number, hand: number[], choice: string | null = null): ViewInfo =>
  ({ seat: 0, hands: [[[1, 2, 3], hand]], choice, public: { round } }) as unknown as ViewInfo;
const place = (card: number | null, end: "left" | "right" = "left"): Choice => ({
  kind: "place",
  card,
  turned: true,
  end,
});

describe("what is chosen", () => {
  it("is what was tried with this very hand in this very round", () => {
    const tried = { key: "2:12,40", choice: place(40) };
    expect(chosen(view(2, [12, 40]), tried, "right")).toEqual(place(40));
    expect(chosen(view(3, [12, 40]), tried, "right")).toMatchObject({ card: null, end: "right" });
    expect(chosen(view(2, [12, 7]), tried, "right")).toMatchObject({ card: null });
  });
  it("is what the server has stored, whatever was tried", () => {
    const tried = { key: "2:12,40", choice: place(40) };
    expect(chosen(view(2, [12, 40], "R12"), tried, "left")).toEqual({
      kind: "place",
      card: 12,
      turned: false,
      end: "right",
    });
  });
  it("is nothing at first, at the end that was used last", () => {
    expect(chosen(view(1, [12, 40]), null, "left")).toEqual({
      kind: "place",
      card: null,
      turned: false,
      end: "left",
    });
    expect(chosen(view(0, [12, 40, 3]), null, "left")).toEqual({ kind: "start", laid: [] });
  });
  it("is not what was kept for a hand by somebody who knew better", () => {
    const tried = { key: "2:12,40", choice: place(55) };
    expect(chosen(view(2, [12, 40]), tried, "right")).toMatchObject({ card: null });
  });
});

describe("typed moves", () => {
  const options = [{ move: "L17~" }, { move: "12,40~" }, { move: "swap" }];
  it("are read with any case and blanks", () => {
    expect(typed(" l17~ ", options)).toBe("L17~");
    expect(typed("12, 40~", options)).toBe("12,40~");
    expect(typed("SWAP", options)).toBe("swap");
    expect(typed("undo", options)).toBe("undo");
  });
  it("are nothing when they are not offered", () => {
    expect(typed("R17", options)).toBeNull();
    expect(typed("", options)).toBeNull();
  });
});
