import { describe, expect, it } from "vitest";
import type { SeatInfo, ViewInfo } from "../protocol";
import { closeWords, exchangesOf, passedOn, roundsOf, storyOf } from "./story";

const names = ["You", "Ana", "Peter"];
const seats = names.map(
  (name): SeatInfo => ({
    kind: "person",
    name,
    bot: null,
    present: true,
    away: false,
    commit: "",
    opened: true,
    votes: [],
  }),
);

function view(some: Partial<ViewInfo>): ViewInfo {
  return {
    boards: ["", "", ""],
    choice: null,
    hands: [null, null, null],
    mode: "standard",
    objectives: [3, 8, 19],
    open_discards: null,
    options: [],
    played: [],
    public: {
      discards: 0,
      pile: 40,
      round: 2,
      scores: null,
      sealed: [false, false, false],
      swapped: [],
      swaps: [true, true, true],
    },
    result: null,
    seat: 0,
    ...some,
  };
}

const two = view({
  played: ["0 1,2~", "1 4,5", "2 7,8", "0 swap", "0 L20", "1 R10", "2 R11~"],
  // Dealt 1 2 3; got 9 and drew 30; swapped for 20 and 21; got 12 and drew 31.
  hands: [
    [
      [1, 2, 3],
      [9, 30],
      [20, 21],
      [12, 31],
    ],
    null,
    null,
  ],
});

describe("the story of a game", () => {
  it("knows the rounds that are closed, swaps included", () => {
    expect(roundsOf(two).map((round) => round.length)).toEqual([3, 4]);
    expect(roundsOf(view({ played: ["0 1,2", "1 4,5", "2 7,8", "1 swap"] }))).toHaveLength(1);
  });
  it("knows what was passed, got and drawn", () => {
    expect(exchangesOf(two)).toEqual([
      { round: 0, rest: [3], passed: [9], drawn: [30] },
      { round: 1, rest: [21], passed: [12], drawn: [31] },
    ]);
    expect(passedOn(two)).toEqual([3, 21]);
  });
  it("says it in one go when a round closes", () => {
    expect(closeWords(two, seats)).toBe(
      "You passed 21 to Ana. Peter passed you 12. You drew 31. Round 2 of 6.",
    );
  });
  it("is told with the newest first, the own move named as one's own", () => {
    const words = storyOf(two, seats, new Map()).map((line) => line.words);
    expect(words.slice(0, 4)).toEqual([
      "Round 2 of 6 began",
      "You drew 31",
      "Peter passed you 12",
      "You passed 21 to Ana",
    ]);
    expect(words).toContain("You swapped your hand");
    expect(words).toContain("Peter placed 11 rotated, right");
    expect(words.at(-1)).toBe("You started with 1 and 2 rotated");
  });
  it("tells of swaps in the open round at once", () => {
    const open = { ...two, public: { ...two.public, swapped: [1] } };
    expect(storyOf(open, seats, new Map())[0]?.words).toBe("Ana swapped their hand");
  });
  it("knows that alone everything is drawn, and the rest thrown away", () => {
    const solo = view({
      mode: "solo",
      boards: [""],
      played: ["0 1,2"],
      hands: [
        [
          [1, 2, 3],
          [9, 30],
        ],
      ],
      public: { ...two.public, round: 1 },
    });
    expect(closeWords(solo, seats)).toBe("You discarded 3. You drew 9 and 30. Round 1 of 6.");
  });
  it("keeps quiet about hands for those who watch", () => {
    const watched = view({ ...two, seat: null, hands: [null, null, null] });
    expect(exchangesOf(watched)).toEqual([]);
    expect(storyOf(watched, seats, new Map())[1]?.words).toBe("Peter placed 11 rotated, right");
  });
});
