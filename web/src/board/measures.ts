// Made of paper/measure.py by `python -m scripts.make_types`; not edited by hand.

/** How far drawers are apart on a desk. */
export const DESK_SIZE = { w: 64, h: 44 };

/** Each is so much on a desk, in proportion on other screens, but never less. */
export const MEASURES = {
  stile: [4.4, 1.7],
  rail: [5.2, 2.4],
  gap: [2, 1.2],
  plank: [7, 4],
  overhang: [4, 0],
  plinth: [5, 3],
  legs: [26, 0],
  inset: [20, 10],
  radius: [4, 2],
  handle: [22, 13.5],
} as const;

/** How much of a drawer's width and height a handle takes at most. */
export const HANDLE_SHARES = [0.36, 0.8] as const;
