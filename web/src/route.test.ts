import { expect, test } from "vitest";
import { EXPECTED, retryAfter } from "./line";
import { pageOf } from "./route";
import { fill } from "./words";

test("every address is a page, and what is none says so", () => {
  expect(pageOf("/")).toEqual({ name: "landing" });
  expect(pageOf("/t/abc")).toEqual({ name: "table", table: "abc" });
  expect(pageOf("/t/abc/replay/4")).toEqual({ name: "replay", table: "abc", round: 4 });
  expect(pageOf("/t/abc/replay")).toEqual({ name: "replay", table: "abc", round: 0 });
  for (const path of ["/x", "/t/a/b", "/t/a/replay/1/2", "/rules/x"])
    expect(pageOf(path)).toEqual({ name: "missing" });
});

test("tries come later and later, at most five seconds apart; a planned restart is quick", () => {
  expect(retryAfter(0, 1)).toBe(500);
  expect(retryAfter(3, 1)).toBe(4000);
  expect(retryAfter(9, 1)).toBe(5000);
  expect(retryAfter(9, 0)).toBe(0);
  expect(retryAfter(-EXPECTED, 0.9)).toBe(500);
  expect(retryAfter(-1, 1)).toBe(750);
  expect(retryAfter(-1, 0)).toBe(250);
});

test("texts take their plural form from the language", () => {
  const texts = {
    cards: { one: "{count} carte", many: "{count} de cartes", other: "{count} cartes" },
  };
  expect(fill(texts, "fr", "cards", { count: 0 })).toBe("0 carte");
  expect(fill(texts, "fr", "cards", { count: 2 })).toBe("2 cartes");
  expect(fill(texts, "en", "cards", { count: 0 })).toBe("0 cartes");
  expect(() => fill(texts, "en", "nothing")).toThrow("there is no text nothing");
});
