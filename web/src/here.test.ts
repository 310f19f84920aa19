import { expect, test } from "vitest";
import { readHere } from "./here";

const BLOCK = '{"guest":{"id":"G","name":"Ana \\u003c3","language":"de"},"table":null}';

test("the page says for whom it was made", () => {
  expect(readHere(BLOCK, "navigate")?.guest?.name).toBe("Ana <3");
  expect(readHere(BLOCK, "reload")?.guest?.id).toBe("G");
});

test("a page that may be of an earlier visit says nothing", () => {
  expect(readHere(BLOCK, "back_forward")).toBe(null);
  expect(readHere(null, "navigate")).toBe(null);
  expect(readHere(undefined, undefined)).toBe(null);
});
