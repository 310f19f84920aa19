// @vitest-environment node
import { afterEach, beforeEach, expect, test, vi } from "vitest";

let asked = 0;
let progress = true;

const page = JSON.stringify({ edition: "abc", language: "en", words: {}, cards: [] });

/** Answers like the server: how far it is, or what it found. */
async function answer(): Promise<Response> {
  asked += 1;
  const body = progress ? { progress: asked / 10 } : { par: 47 };
  return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
}

beforeEach(() => {
  asked = 0;
  progress = true;
  vi.useFakeTimers();
  vi.stubGlobal("fetch", answer);
  vi.stubGlobal("document", { getElementById: () => ({ textContent: page }) });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a long calculation is asked for until it is there", async () => {
  const { await_ } = await import("./api");
  const told: number[] = [];
  const found = await_("/api/par", (far) => told.push(far), new AbortController().signal);
  await vi.advanceTimersByTimeAsync(1500);
  progress = false;
  await vi.advanceTimersByTimeAsync(1000);
  expect(await found).toEqual({ par: 47 });
  expect(told).toEqual([0.1, 0.2, 0.3]);
});

test("nobody asks for what nobody waits for any more", async () => {
  const { await_ } = await import("./api");
  const gone = new AbortController();
  const found = await_("/api/par", () => undefined, gone.signal);
  const ended = expect(found).rejects.toThrow();
  await vi.advanceTimersByTimeAsync(1500);
  gone.abort();
  const before = asked;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(before);
  expect(vi.getTimerCount()).toBe(0);
  await ended;
});
