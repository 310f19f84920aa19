import { signal } from "@preact/signals";
import { change, keep, recall } from "../settings";

/** The tips, in the order in which a first game brings them. */
export const STEPS = [
  "objectives",
  "hand",
  "match",
  "lock",
  "pass",
  "swap",
  "bonus",
  "end",
] as const;
export type Step = (typeof STEPS)[number];

const NAME = "sideboards.tips";
const seen = signal<readonly Step[]>(recall<Step[]>(NAME) ?? []);

/** Whether a tip was shown before. */
export function wasSeen(step: Step): boolean {
  return seen.value.includes(step);
}

/** Note that tips need not be shown again. */
export function note(...steps: Step[]): void {
  if (steps.every((step) => seen.peek().includes(step))) return;
  seen.value = [...new Set([...seen.value, ...steps])];
  keep(NAME, seen.value);
}

/** Show all tips again at their next occasion. */
export function restart(): void {
  change({ knowsRules: false });
  seen.value = [];
  keep(NAME, []);
}

/** Show no tips any more. */
export function skip(): void {
  note(...STEPS);
}
