import { describe, expect, it } from "vitest";
import {
  block,
  boardSize,
  type Cell,
  cardSize,
  cellAt,
  cellRect,
  DESK,
  fitPitch,
  frame,
  frontRect,
  legCount,
  PHONE,
  type Rect,
  SLOTS,
  slotRect,
  WIDE,
} from "./geometry";
import { outline, rings, rounded } from "./outline";

describe("sizes", () => {
  it("are those of the design on a desk", () => {
    const { stile, rail, gap, plank, plinth, legs, handle } = frame(DESK);
    expect({ stile, rail, gap, plank, plinth, legs, handle }).toEqual({
      stile: 4.4,
      rail: 5.2,
      gap: 2,
      plank: 7,
      plinth: 5,
      legs: 26,
      handle: 22,
    });
  });

  it("keep handles readable on small drawers, and inside of narrow ones", () => {
    expect(frame({ w: 38, h: 26 }).handle).toBeCloseTo(13.5);
    expect(frame(WIDE).handle).toBeCloseTo(13.5);
    expect(frame({ w: 30, h: 26 }).handle).toBeCloseTo(0.36 * 30);
    expect(frame({ w: 110, h: 15 }).handle).toBeCloseTo(12);
  });

  it("leave room for nine cards on the smallest phone", () => {
    expect(boardSize(PHONE).w).toBeLessThanOrEqual(360 - 16);
    expect(boardSize({ w: 38, h: 26 }).h).toBeLessThan(156);
    expect(cardSize(WIDE)).toEqual({ w: 90, h: 5 * 21.4 + 2 * frame(WIDE).rail });
  });

  it("keep five fronts inside of the carcass, with gaps between", () => {
    for (const pitch of [DESK, PHONE, WIDE]) {
      const { stile, rail, gap } = frame(pitch);
      const fronts = [0, 1, 2, 3, 4].map((height) => frontRect(height, pitch));
      fronts.forEach((front, i) => {
        expect(front.x).toBeGreaterThan(stile);
        expect(front.x + front.w).toBeLessThan(pitch.w - stile);
        const next = fronts[i + 1]?.y ?? cardSize(pitch).h - rail + gap / 2;
        expect(next - (front.y + front.h)).toBeCloseTo(gap);
      });
    }
  });

  it("fit an area without ever passing the size of a desk", () => {
    for (const [width, height] of [
      [344, 150],
      [344, 178],
      [420, 220],
      [1000, 300],
      [2000, 900],
    ] as const) {
      const pitch = fitPitch(width, height);
      const size = boardSize(pitch);
      expect(size.w).toBeLessThanOrEqual(width + 1e-9);
      expect(size.h).toBeLessThanOrEqual(height);
      expect(pitch.w).toBeLessThanOrEqual(DESK.w);
      expect(pitch.h).toBeLessThanOrEqual(DESK.h);
    }
    expect(fitPitch(2000, 900)).toEqual(DESK);
    expect(fitPitch(344, 40).h).toBe(14);
  });

  it("choose two, three or four legs", () => {
    expect([76, 149, 150, 239, 240, 600].map(legCount)).toEqual([2, 2, 3, 3, 4, 4]);
  });
});

describe("places", () => {
  it("keep the block in the middle and the pitch constant", () => {
    for (const count of [2, 5, 7, 8]) {
      const [first, last] = [slotRect(0, count, DESK), slotRect(count - 1, count, DESK)];
      expect(first.x + (last.x + last.w)).toBeCloseTo(SLOTS * DESK.w);
      expect(slotRect(1, count, DESK).x - first.x).toBe(DESK.w);
    }
  });

  it("leave both free ends of seven cards inside of the picture", () => {
    expect(slotRect(-1, 7, PHONE).x).toBeCloseTo(0);
    const right = slotRect(7, 7, PHONE);
    expect(right.x + right.w).toBeCloseTo(boardSize(PHONE).w);
  });

  it("are found again at their middle", () => {
    for (let column = -1; column <= 5; column++) {
      for (let height = 0; height < 5; height++) {
        const { x, y, w, h } = cellRect([column, height], 5, PHONE);
        expect(cellAt(x + w / 2, y + h / 2, 5, PHONE)).toEqual([column, height]);
      }
    }
    expect(cellAt(100, -50, 5, PHONE)[1]).toBe(0);
    expect(cellAt(100, 5000, 5, PHONE)[1]).toBe(4);
  });

  it("put ghosts beside the furniture", () => {
    expect(block(6, [5])).toEqual({ from: 0, count: 5 });
    expect(block(6, [0])).toEqual({ from: 1, count: 5 });
    expect(block(6)).toEqual({ from: 0, count: 6 });
  });

  it("show room for two cards before the first is laid", () => {
    expect(block(0)).toEqual({ from: 0, count: 2 });
    expect(block(1, [0])).toEqual({ from: 0, count: 2 });
    expect(block(2, [0, 1])).toEqual({ from: 0, count: 2 });
  });
});

describe("outlines", () => {
  const place = ([column, height]: Cell): Rect => ({ x: 10 * column, y: 10 * height, w: 9, h: 9 });

  /** Whether a point lies inside of a polygon: how often a ray to the right crosses its edge. */
  function covers(corners: { x: number; y: number }[], x: number, y: number): boolean {
    let inside = false;
    corners.forEach((a, i) => {
      const b = corners[(i + 1) % corners.length] ?? a;
      if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x)
        inside = !inside;
    });
    return inside;
  }

  it.each([
    [
      [
        [0, 0],
        [1, 0],
      ],
    ],
    [
      [
        [0, 0],
        [1, 1],
        [2, 0],
      ],
    ],
    [
      [
        [0, 3],
        [1, 2],
        [2, 1],
        [3, 0],
      ],
    ],
    [
      [
        [0, 0],
        [1, 0],
        [2, 1],
      ],
    ],
    [
      [
        [0, 0],
        [2, 0],
      ],
    ],
    [
      [
        [0, 0],
        [1, 2],
      ],
    ],
    [
      [
        [0, 2],
        [3, 0],
      ],
    ],
  ] as [Cell[]][])("cover the drawers of %j and no other", (cells) => {
    const corners = outline(cells, place, 2);
    for (let column = 0; column < 4; column++) {
      if (!cells.some(([c]) => c === column)) continue;
      for (let height = 0; height < 5; height++) {
        const own = cells.some(([c, h]) => c === column && h === height);
        expect(covers(corners, 10 * column + 4.5, 10 * height + 4.5)).toBe(own);
      }
    }
  });

  it("join diagonal neighbours", () => {
    expect(
      covers(
        outline(
          [
            [0, 0],
            [1, 1],
          ],
          place,
          2,
        ),
        9.5,
        9.5,
      ),
    ).toBe(true);
    expect(
      covers(
        outline(
          [
            [0, 1],
            [1, 0],
          ],
          place,
          2,
        ),
        9.5,
        9.5,
      ),
    ).toBe(true);
  });

  it("are the same in any order of the drawers", () => {
    expect(
      outline(
        [
          [1, 1],
          [0, 0],
        ],
        place,
        2,
      ),
    ).toEqual(
      outline(
        [
          [0, 0],
          [1, 1],
        ],
        place,
        2,
      ),
    );
  });

  it("become closed paths, and nothing for nothing", () => {
    expect(rounded(outline([[0, 0]], place, 2), 2)).toMatch(/^M[^M]+z$/);
    expect(rounded(outline([], place, 2), 2)).toBe("");
  });

  it("go from rim to rim between rings", () => {
    const path = rings(
      [
        { x: 0, y: 0 },
        { x: 10, y: 0 },
      ],
      3,
    );
    expect(path.endsWith("M3 0L7 0")).toBe(true);
    expect(path.match(/a/g)).toHaveLength(4);
  });
});
