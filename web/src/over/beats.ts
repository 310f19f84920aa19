import type { Kept } from "../settings";
import { KINDS, type Kind, type Part, type PlayerResult, pointsOf } from "./result";

/** One step of the end scoring: a part of the points, then all together. */
export type Beat = Part | "total";

const LENGTHS: Record<Kept["speed"], number> = { normal: 1500, fast: 700, none: 0 };

/** The beats of a game with these parts. */
export function beatsOf(parts: readonly Part[]): Beat[] {
  return [...parts, "total"];
}

/** How long a beat lasts, in milliseconds; 0: everything is shown at once. */
export function beatLength(speed: Kept["speed"]): number {
  return LENGTHS[speed];
}

/** What a beat marks on the boards: its own kind alone, at the end all. */
export function kindsAt(beat: Beat): readonly Kind[] {
  if (beat === "total") return KINDS;
  return KINDS.filter((kind) => kind === beat || (kind === "row" && beat === "bonus"));
}

/** Whether a part has been counted when a beat is shown. */
export function isCounted(part: Part, beats: readonly Beat[], now: number): boolean {
  return beats.indexOf(part) <= now;
}

/** The points of a player as far as they have been counted. */
export function countedSoFar(
  player: PlayerResult,
  parts: readonly Part[],
  beats: readonly Beat[],
  now: number,
): number {
  return parts
    .filter((part) => isCounted(part, beats, now))
    .reduce((sum, part) => sum + pointsOf(player, part), 0);
}
