import { expect, test } from "vitest";
import { DEEDS, deedOf, letterIn, lettersOf, USUAL, writtenAll } from "./letters";

test("every deed has a letter of its own", () => {
  expect(new Set(Object.values(USUAL)).size).toBe(DEEDS.length);
  for (const deed of DEEDS) expect(deedOf(USUAL[deed], lettersOf({}))).toBe(deed);
});

test("a chosen letter takes the place of the usual one", () => {
  const letters = lettersOf({ turn: "q" });
  expect(deedOf("q", letters)).toBe("turn");
  expect(deedOf("f", letters)).toBe(undefined);
  expect(deedOf("x", letters)).toBe("exchange");
});

test("exactly one letter of any script is taken", () => {
  expect(letterIn("Q")).toBe("q");
  expect(letterIn(" é ")).toBe("é");
  expect(letterIn("Ж")).toBe("ж");
  for (const text of ["", " ", "1", "?", "ab", "İ"]) expect(letterIn(text)).toBe(null);
});

test("letters are shown as they stand on keys", () => {
  expect(writtenAll(lettersOf({ swap: "ß", board: "é" }))).toMatchObject({
    turn: "F",
    swap: "ß",
    board: "É",
  });
});
