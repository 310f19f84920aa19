import type { ObjectiveInfo } from "../boot";

/** The scale of a solo result ends here. */
export const MOST = 70;
/** From where each tier begins, best first (R31). */
export const TIERS = [55, 45, 35, 25, 0] as const;
const BONUSES = [2, 4, 8] as const;
const ONE_RUN = [4, 6, 8] as const;
const TWO_RUNS = [7, 9, 11] as const;

/** Which tier a total reaches: 1 is the best. */
export function tierOf(total: number): number {
  return TIERS.findIndex((least) => total >= least) + 1;
}

/** The tier above and how many points it is away; null at the top. */
export function nextTier(total: number): { tier: number; missing: number } | null {
  const tier = tierOf(total) - 1;
  const least = TIERS[tier - 1];
  return least === undefined ? null : { tier, missing: least - total };
}

/** The fields of the scale from left to right: where each begins and ends, and its tier. */
export function fields(): { tier: number; from: number; to: number }[] {
  return TIERS.map((from, i) => ({ tier: i + 1, from, to: TIERS[i - 1] ?? MOST })).reverse();
}

/** Where a total lies on the scale, 0 to 1. */
export function onScale(total: number): number {
  return Math.min(Math.max(total, 0), MOST) / MOST;
}

/** The steps of the row bonus (R30): from which length, what it pays, and which one counts. */
export function ladder(
  row: ObjectiveInfo,
  length: number,
): { length: number; bonus: number; reached: boolean }[] {
  const lengths = row.runs === "longest" ? ONE_RUN : TWO_RUNS;
  const highest = lengths.filter((least) => length >= least).length - 1;
  return lengths.map((least, i) => ({
    length: least,
    bonus: BONUSES[i] ?? 0,
    reached: i === highest,
  }));
}
