import { boot } from "../boot";
import type { Settings, TableInfo } from "../protocol";
import { t } from "../words";

// What is agreed at a table, in words: each part of the sentence that the table page shows.

export const DAY = 86_400;
export const CLOCKS: (number | null)[] = [null, 30, 90, DAY, 3 * DAY];

/** How much time a round has. */
export function paceWords(seconds: number | null): string {
  if (seconds === null) return t("web.lobby.pace.none");
  if (seconds >= DAY) return t("web.lobby.pace.days", { count: Math.round(seconds / DAY) });
  return t("web.lobby.pace.seconds", { count: seconds });
}

/** Which suggestion three objectives are, from 1; 0 if they are none. */
export function suggestionOf(objectives: Settings["objectives"]): number {
  const asked = objectives?.join();
  return boot.suggestions.findIndex((each) => each.join() === asked) + 1;
}

/** Which objectives count. */
export function objectivesWords(objectives: Settings["objectives"]): string {
  if (objectives === null) return t("web.lobby.by.random");
  const number = suggestionOf(objectives);
  if (number > 0) return t("web.lobby.by.suggestion", { number });
  return t("web.lobby.by.number", { numbers: objectives.join(" · ") });
}

/** The parts of the sentence, by the places of the text. */
export const PARTS = [
  "seats",
  "objectives",
  "pace",
  "assist",
  "hands",
  "access",
  "watch",
  "phrases",
] as const;
export type Part = (typeof PARTS)[number];

/** What is agreed about a part. */
export function partWords(part: Part, settings: Settings): string {
  switch (part) {
    case "seats":
      return t(`web.lobby.seats.${settings.seats}`);
    case "objectives":
      return objectivesWords(settings.objectives);
    case "pace":
      return paceWords(settings.round_seconds);
    case "assist":
      return t(`web.lobby.assist.${settings.assist}`);
    case "hands":
      return t(settings.variant ? "web.lobby.hands.bigger" : "web.lobby.hands.standard");
    case "access":
      return t(settings.public ? "web.lobby.access.public" : "web.lobby.access.link");
    case "watch":
      return t(settings.spectators ? "web.lobby.watch.yes" : "web.lobby.watch.no");
    case "phrases":
      return t(settings.phrases ? "web.lobby.phrases.yes" : "web.lobby.phrases.no");
  }
}

/** A part of the sentence, and the comma or full stop that must not stand on the next line. */
export interface Piece {
  part: Part;
  stop: string;
}

/** A text cut at its places: words, and between them the parts. */
export function cut(text: string): (string | Piece)[] {
  const pieces: (string | Piece)[] = [];
  for (const [, words = "", part, stop = ""] of text.matchAll(/([^{]*)(?:\{(\w+)\}([,.;]?)|$)/g)) {
    if (words !== "") pieces.push(words);
    if (part !== undefined) pieces.push({ part: part as Part, stop });
  }
  return pieces;
}

/** How hard an objective is: within a kind a higher number is harder; rows have no scale. */
export function difficulty(number: number): "easy" | "medium" | "hard" | null {
  if (number > 14) return null;
  const rank = (number - 1) % 7;
  return rank < 2 ? "easy" : rank < 5 ? "medium" : "hard";
}

/** How many seats there must be at least, so that nobody loses one. */
export function seatsInUse(info: TableInfo): number {
  return info.seats.reduce((used, seat, i) => (seat.kind === "empty" ? used : i + 1), 0);
}
