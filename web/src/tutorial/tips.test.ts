import { expect, test } from "vitest";
import { beside } from "./Tips";

const view = { width: 360, height: 640 };
const bubble = { width: 200, height: 60 };

test("a bubble stands where there is more room, and its arrow points at the anchor", () => {
  const low = beside({ left: 20, top: 500, width: 100, height: 44 }, bubble, view);
  expect(low).toEqual({ left: 8, top: 428, arrow: 62, above: true });
  const high = beside({ left: 100, top: 50, width: 160, height: 60 }, bubble, view);
  expect(high).toEqual({ left: 80, top: 122, arrow: 100, above: false });
});

test("a bubble never leaves the window", () => {
  const corner = beside({ left: 340, top: 2, width: 20, height: 636 }, bubble, view);
  expect(corner.left).toBe(152);
  expect(corner.top).toBe(572);
  expect(corner.arrow).toBe(182);
  const narrow = beside(
    { left: 0, top: 0, width: 10, height: 10 },
    { width: 400, height: 60 },
    view,
  );
  expect(narrow.left).toBe(8);
});
