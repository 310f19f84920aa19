import type { Cell, Rect } from "./geometry";

/** A point of a picture. */
export interface Point {
  x: number;
  y: number;
}

const middleY = (rect: Rect): number => rect.y + rect.h / 2;

/**
 * The corners of what a combination covers: one drawer per column, joined from left to right.
 * Neighbours of one height grow together; others are joined by a bar, `bridge` wide on each side
 * of where their corners meet.
 */
export function outline(
  cells: readonly Cell[],
  place: (cell: Cell) => Rect,
  bridge: number,
): Point[] {
  const ordered = [...cells].sort((a, b) => a[0] - b[0]);
  const upper: Point[] = [];
  const lower: Point[] = [];
  ordered.forEach((cell, i) => {
    const b = place(cell);
    const before = ordered[i - 1];
    if (before === undefined) {
      upper.push({ x: b.x, y: b.y });
      lower.push({ x: b.x, y: b.y + b.h });
      return;
    }
    const a = place(before);
    const right = a.x + a.w;
    const [far, near] = [Math.max(right, b.x) + bridge, Math.min(right, b.x) - bridge];
    if (cell[1] > before[1]) {
      const [high, low] = [Math.min(a.y + a.h, b.y), Math.max(a.y + a.h, b.y)];
      upper.push({ x: right, y: a.y }, { x: right, y: high - bridge }, { x: far, y: b.y });
      lower.push({ x: near, y: a.y + a.h }, { x: b.x, y: low + bridge });
      lower.push({ x: b.x, y: b.y + b.h });
    } else if (cell[1] < before[1]) {
      const [high, low] = [Math.min(a.y, b.y + b.h), Math.max(a.y, b.y + b.h)];
      lower.push({ x: right, y: a.y + a.h }, { x: right, y: low + bridge });
      lower.push({ x: far, y: b.y + b.h });
      upper.push({ x: near, y: a.y }, { x: b.x, y: high - bridge }, { x: b.x, y: b.y });
    } else if (cell[0] > before[0] + 1) {
      const [top, bottom] = [middleY(a) - bridge / 2, middleY(a) + bridge / 2];
      upper.push({ x: right, y: a.y }, { x: right, y: top }, { x: b.x, y: top });
      upper.push({ x: b.x, y: b.y });
      lower.push({ x: right, y: a.y + a.h }, { x: right, y: bottom }, { x: b.x, y: bottom });
      lower.push({ x: b.x, y: b.y + b.h });
    }
  });
  const last = ordered.at(-1);
  if (last === undefined) return [];
  const end = place(last);
  upper.push({ x: end.x + end.w, y: end.y });
  lower.push({ x: end.x + end.w, y: end.y + end.h });
  return [...upper, ...lower.reverse()];
}

/** The point so far on the way from one to the other, at most the given part of the way. */
function towards(start: Point, end: Point, distance: number, most: number): Point {
  const length = Math.hypot(end.x - start.x, end.y - start.y);
  const part = length === 0 ? 0 : Math.min(distance / length, most);
  return { x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part };
}

const short = (value: number): number => Math.round(value * 100) / 100;
const text = ({ x, y }: Point): string => `${short(x)} ${short(y)}`;

/** How much a corner is rounded: blunt ones less, so that a bar between drawers stays straight. */
function cut(before: Point, corner: Point, after: Point, radius: number): number {
  const across = (before.x - corner.x) * (after.x - corner.x);
  const down = (before.y - corner.y) * (after.y - corner.y);
  return across + down < -0.01 ? radius / 2 : radius;
}

/** A closed path through the points, its corners rounded. */
export function rounded(points: readonly Point[], radius: number): string {
  const corners = points.map((corner, i) => {
    const before = points.at(i - 1) ?? corner;
    const after = points[(i + 1) % points.length] ?? corner;
    const cutOff = cut(before, corner, after, radius);
    const into = towards(corner, before, cutOff, 0.5);
    const out = towards(corner, after, cutOff, 0.5);
    return `${text(into)}Q${text(corner)} ${text(out)}`;
  });
  return corners.length === 0 ? "" : `M${corners.join("L")}z`;
}

/** Rings round points, and lines from rim to rim between neighbours. */
export function rings(middles: readonly Point[], radius: number): string {
  const r = short(radius);
  const circles = middles.map(
    ({ x, y }) =>
      `M${text({ x: x - radius, y })}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  );
  const lines = middles.slice(1).map((b, i) => {
    const a = middles[i] ?? b;
    return `M${text(towards(a, b, radius, 1))}L${text(towards(b, a, radius, 1))}`;
  });
  return [...circles, ...lines].join("");
}
