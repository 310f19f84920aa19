import { describe, expect, it } from "vitest";
import { parseMove } from "./choice";
import type { PointsInfo, SeatInfo, ViewInfo } from "./protocol";
import * as say from "./sentences";

const seat = (some: Partial<SeatInfo>): SeatInfo => ({
  kind: "person",
  name: null,
  bot: null,
  present: true,
  away: false,
  commit: "",
  opened: true,
  votes: [],
  ...some,
});
const points = (color: number, handle: number, row: number, bonus = 0, swap = 1): PointsInfo => ({
  color,
  handle,
  row,
  bonus,
  swap,
  total: color + handle + row + bonus + swap,
});
const view = (rows: number[], some: Partial<ViewInfo> = {}): ViewInfo =>
  ({
    objectives: [3, 8, 19],
    mode: "standard",
    seat: 0,
    public: { scores: rows.map((row) => points(0, 0, row)) },
    ...some,
  }) as ViewInfo;
const move = (text: string) => {
  const found = parseMove(text);
  if (found === null) throw new Error(text);
  return found;
};

describe("cards", () => {
  it("are read from top to bottom as they lie", () => {
    // Card 1 is RsTfPOBb.
    expect(say.handCardRead(0, "drawn", { card: 1, turned: false })).toBe(
      "Card A, drawn: top red square, turquoise flower, pink, orange, bottom black bar.",
    );
    expect(say.handCardRead(1, "from Peter", { card: 1, turned: true })).toBe(
      "Card B, from Peter, rotated: top black bar, orange, pink, turquoise flower, bottom red square.",
    );
  });
  it("show where a color or a handle lies", () => {
    const board = [
      { card: 1, turned: false },
      { card: 1, turned: true },
    ];
    expect(say.trackRead(board, "red")).toBe("red: heights 1, 5");
    expect(say.trackRead(board, "flower")).toBe("flower: heights 2, 4");
  });
});

describe("seats", () => {
  it("have the names of people and the strength of bots", () => {
    const seats = [
      seat({ name: "Ana" }),
      seat({ kind: "bot", bot: "easy" }),
      seat({ kind: "bot", bot: "hard" }),
      seat({ kind: "bot", bot: "easy" }),
      seat({ name: "Peter", bot: "medium" }),
      seat({}),
    ];
    expect(seats.map((_, i) => say.nameOf(seats, i))).toEqual([
      "Ana",
      "easy bot 1",
      "hard bot 2",
      "easy bot 3",
      "Peter",
      "Player 6",
    ]);
  });
  it("have short names where there is little room", () => {
    const seats = [seat({ name: "Maximiliane" }), seat({ kind: "bot", bot: "master" }), seat({})];
    expect(say.shortNameOf(seats, 0, 12)).toBe("Maximiliane");
    expect(say.shortNameOf(seats, 0, 7)).toBe("Maximi…");
    expect(say.shortNameOf(seats, 1, 7)).toBe("bot");
    expect(say.shortNameOf([...seats, seat({ kind: "bot", bot: "easy" })], 3, 7)).toBe("bot 2");
  });
  it("say what they do", () => {
    expect(say.seatState(seat({}), true)).toBe("locked");
    expect(say.seatState(seat({}), false)).toBe("thinking");
    expect(say.seatState(seat({ present: false }), false)).toBe("away");
    expect(say.seatState(seat({ bot: "easy" }), false)).toBe("bot");
  });
  it("are waited for by at most two names", () => {
    expect(say.waitWords(["Peter"])).toBe("Waiting for Peter");
    expect(say.waitWords(["Charlie", "Peter"])).toBe("Waiting for Charlie and Peter");
    expect(say.waitWords(["A", "B", "C", "D"])).toBe("Waiting for A, B and 2 more");
  });

  it("says who is missing in as many lines as there are", () => {
    const long = ["Bartholomäus-Theodor XXI", "Wilhelmina-Johanna Maria", "Maximiliane"];
    expect(say.waitBrief(["Charlie", "Peter"], 22, 2)).toBe("Waiting for Charlie and Peter");
    expect(say.waitBrief(long.slice(0, 2), 22, 2)).toBe("Waiting for Bartholom… and Wilhelmin…");
    expect(say.waitBrief(long, 22, 2)).toBe("Waiting for Bartholo…, Wilhelmi… and 1 more");
    expect(say.waitBrief(long, 14, 1)).toBe("Waiting for 3");
    expect(say.waitBrief(long.slice(0, 1), 12, 1)).toBe("Waiting for Bartho…");
  });
});

describe("the preview", () => {
  it("names every cause, the total without the bonus, and the bonus as provisional", () => {
    const made = say.previewOf(points(4, 15, 6), points(8, 15, 8, 8), view([6, 8, 2, 6]), "en");
    expect(say.previewSentence(made)).toBe(
      "+6: color +4 (2nd), row 3 to 4 +2 · total 32 · row now tied 1st of 4: +8 if it ended now",
    );
  });
  it("says plainly when nothing is gained", () => {
    const made = say.previewOf(points(4, 0, 0), points(4, 0, 0), view([0, 4]), "en");
    expect(say.previewSentence(made)).toBe("+0: no change · total 5");
  });
  it("ranks rows by their length", () => {
    const made = say.previewOf(points(0, 0, 4), points(0, 0, 4, 4), view([4, 8, 8]), "en");
    expect(made.bonus).toBe("row now 2nd of 3: +4 if it ended now");
  });
  it("knows the steps of the solo bonus", () => {
    const solo = view([6], { mode: "solo" });
    expect(say.previewOf(points(0, 0, 6), points(0, 0, 8, 2), solo, "en").bonus).toBe(
      "row bonus now +2 for 4 drawers",
    );
    expect(say.previewOf(points(0, 0, 2), points(0, 0, 2), solo, "en").bonus).toBeNull();
  });
  it("counts in tallies", () => {
    expect(say.tallyWords(points(8, 0, 0), "color", [3, 8, 19])).toBe("2 × 4 = 8");
  });
});

describe("choices", () => {
  it("go by the letters of the hand", () => {
    expect(say.choiceWords(move("L40~"), [12, 40])).toBe("Card B, rotated, left");
    expect(say.choiceWords(move("12,40~"), [12, 7, 40])).toBe("Cards A and C, C rotated");
    expect(say.choiceWords(move("40~,12~"), [12, 7, 40])).toBe("Cards A and C, both rotated");
  });
  it("tell what they would count", () => {
    const option = { move: "12,40~", points: points(0, 3, 4) };
    expect(say.optionWords(option, [12, 7, 40], [3, 8, 19])).toBe(
      "Cards A and C, C rotated: color 0, handles 1 × 3, row 2",
    );
    expect(say.optionWords({ move: "R12" }, [12, 40], [3, 8, 19])).toBe("Card A, right");
  });
  it("tell what the coach expects", () => {
    const advice = { move: "R12", expected: 41.46, winning: 0.5 };
    expect(say.optionWords({ move: "R12" }, [12, 40], [3, 8, 19], advice)).toBe(
      "Card A, right: coach: 41.5 expected",
    );
  });
});

describe("what happened", () => {
  it("names who and what", () => {
    expect(say.moveWords(move("L24"), "Ana")).toBe("Ana placed 24, left");
    expect(say.moveWords(move("R35~"), null)).toBe("You placed 35 rotated, right");
    expect(say.moveWords(move("12,40~"), "Ana")).toBe("Ana started with 12 and 40 rotated");
    expect(say.moveWords(move("swap"), "Ana")).toBe("Ana swapped their hand");
  });
  it("counts rounds and time", () => {
    expect(say.roundWords(0)).toBe("Start");
    expect(say.roundWords(4)).toBe("Round 4 of 6");
    expect(say.timeWords(9_200)).toBe("10 seconds left");
    expect(say.timeWords(172_800_000)).toBe("2 days left");
  });
});

describe("objectives", () => {
  it("have a sentence each", () => {
    for (let number = 1; number <= 30; number++)
      expect(say.objectiveWords(number)).not.toContain("{");
  });
});
