import { expect, test } from "vitest";
import type { SeatInfo, Settings, TableInfo } from "../protocol";
import { offer } from "./Agreed";
import { seatNotes } from "./Seats";
import { cut, difficulty, seatsInUse, suggestionOf } from "./terms";

const SETTINGS: Settings = {
  seats: 4,
  variant: false,
  objectives: [3, 8, 19],
  round_seconds: null,
  assist: 1,
  public: false,
  spectators: true,
  phrases: true,
  practice: null,
};

function seat(kind: SeatInfo["kind"], name: string | null = null): SeatInfo {
  const bot = kind === "bot" ? "easy" : null;
  return { kind, name, bot, present: true, away: false, commit: "", opened: false, votes: [] };
}

function table(seats: SeatInfo[], change: Partial<Settings> = {}): TableInfo {
  return {
    table: "t",
    phase: "waiting",
    settings: { ...SETTINGS, ...change },
    rules: "",
    commit: "",
    host: 0,
    seats,
    started: false,
    code: null,
    next: null,
  };
}

const ANA = seat("person", "Ana");
const BEN = seat("person", "Ben");
const EMPTY = seat("empty");

test("a sentence is cut into words and parts; commas stay with what they follow", () => {
  expect(cut("{seats}, {pace}. It is {access}.")).toEqual([
    { part: "seats", stop: "," },
    " ",
    { part: "pace", stop: "." },
    " It is ",
    { part: "access", stop: "." },
  ]);
  expect(cut("nothing")).toEqual(["nothing"]);
});

test("a higher number of a kind is harder, and rows have no scale", () => {
  expect([1, 3, 7, 8, 10, 14, 15, 30].map(difficulty)).toEqual([
    "easy",
    "medium",
    "hard",
    "easy",
    "medium",
    "hard",
    null,
    null,
  ]);
});

test("a suggestion is known by its three objectives", () => {
  expect(suggestionOf(null)).toBe(0);
  expect(suggestionOf([3, 8, 19])).toBe(1);
  expect(suggestionOf([7, 14, 30])).toBe(0);
});

test("seats can be taken away only behind the last one in use", () => {
  const info = table([ANA, EMPTY, BEN, EMPTY]);
  expect(seatsInUse(info)).toBe(3);
  const reasons = offer("seats", info).choices.map(({ reason }) => reason !== undefined);
  expect(reasons).toEqual([true, true, false, false, false, false]);
  expect(offer("seats", table([ANA], { variant: true })).choices[0]?.set).toEqual({
    seats: 1,
    variant: false,
  });
});

test("the coach helps only those who play alone, and never in public", () => {
  const coach = (info: TableInfo) => offer("assist", info).choices[3]?.reason;
  expect(coach(table([ANA, seat("bot")]))).toBeUndefined();
  expect(coach(table([ANA, BEN]))).toBeDefined();
  expect(coach(table([ANA], { public: true }))).toBeDefined();
  expect(offer("access", table([ANA], { assist: 3 })).choices[1]?.reason).toBeDefined();
  expect(offer("hands", table([ANA], { seats: 1 })).choices[1]?.reason).toBeDefined();
});

test("the left neighbour is the next seat, also behind the last one", () => {
  const info = table([ANA, BEN, seat("person", "Cleo")]);
  expect(seatNotes(info, 0, [0])).toBe("you · host");
  expect(seatNotes(info, 1, [0])).toContain("sits to your left");
  expect(seatNotes(info, 2, [0])).toContain("sits to your right");
  expect(seatNotes(info, 0, [2])).toContain("sits to your left");
  expect(seatNotes(info, 1, [0, 1])).toContain("on this device");
});
