// @vitest-environment node
import { effect } from "@preact/signals";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const asked: URL[] = [];
let online = true;

const page = JSON.stringify({ edition: "abc", language: "en", words: {}, cards: [] });

/** Answers like the server, with the board's own text as a mark of where it came from. */
async function answer(path: string): Promise<Response> {
  const url = new URL(path, "http://here");
  asked.push(url);
  if (!online) throw new TypeError("offline");
  const body = url.searchParams.getAll("board").map((board) => ({ row: { length: board.length } }));
  return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
}

beforeEach(() => {
  asked.length = 0;
  online = true;
  vi.resetModules();
  vi.stubGlobal("fetch", answer);
  vi.stubGlobal("document", { getElementById: () => ({ textContent: page }) });
});
afterEach(() => vi.unstubAllGlobals());

test("what is wished at one moment is asked for together, and only once", async () => {
  const { marksOf } = await import("./marks");
  const [first, second] = await Promise.all([
    marksOf([3, 8, 19], ["17", "17 42~"]),
    marksOf([3, 8, 19], ["17", "8 9"]),
  ]);
  expect(first.map((each) => each.row.length)).toEqual([2, 6]);
  expect(second.map((each) => each.row.length)).toEqual([2, 3]);
  expect(asked.map((url) => url.searchParams.getAll("board"))).toEqual([["17", "17 42~", "8 9"]]);
  expect(asked[0]?.searchParams.get("objectives")).toBe("3,8,19");
  expect(asked[0]?.searchParams.get("edition")).toBe("abc");
  await marksOf([3, 8, 19], ["8 9"]);
  expect(asked).toHaveLength(1);
});

test("more boards than one request may have go in several", async () => {
  const { marksOf } = await import("./marks");
  const boards = Array.from({ length: 60 }, (_, card) => `${card + 1}`);
  expect(await marksOf([1, 8, 15], boards)).toHaveLength(60);
  expect(asked.map((url) => url.searchParams.getAll("board").length)).toEqual([48, 12]);
});

test("the oldest boards are forgotten, the newest are kept", async () => {
  const { marksOf } = await import("./marks");
  const boards = Array.from({ length: 80 }, (_, number) => `${number}`);
  await marksOf([1, 8, 15], boards);
  asked.length = 0;
  await marksOf([1, 8, 15], boards.slice(-60));
  expect(asked).toHaveLength(0);
  await marksOf([1, 8, 15], boards.slice(0, 20));
  expect(asked).toHaveLength(1);
});

test("a view that looked in vain is drawn anew when the marks are there", async () => {
  const { marks, marksOf } = await import("./marks");
  const seen: (number | undefined)[] = [];
  const end = effect(() => {
    seen.push(marks([3, 8, 19], [{ card: 17, turned: true }])?.row.length);
  });
  await marksOf([3, 8, 19], ["17~"]);
  await Promise.resolve();
  expect(seen).toEqual([undefined, 3]);
  end();
});

test("what failed is asked for again at the next look", async () => {
  const { marksOf } = await import("./marks");
  online = false;
  await expect(marksOf([3, 8, 19], ["17"])).rejects.toThrow();
  online = true;
  expect(await marksOf([3, 8, 19], ["17"])).toHaveLength(1);
  expect(asked).toHaveLength(2);
});
