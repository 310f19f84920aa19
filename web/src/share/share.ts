import { type Part, partsOf, pointsOf, type Result } from "../over/result";
import type { ViewInfo } from "../protocol";
import { listed, t } from "../words";

/** What is told of a game in one line, in words. */
export interface Shared {
  result: Result;
  mode: ViewInfo["mode"];
  /** Whose points; null tells who has won. */
  seat: number | null;
  names: string[];
  par: number | null;
}

/** "Sideboards: 44 of 53. Colors 16, handles 15, row 10 + 2, swap kept 1." */
export function shareText({ result, mode, seat, names, par }: Shared): string {
  const player = result.players[seat ?? result.winners[0] ?? 0];
  if (player === undefined) return t("term.game");
  const places = {
    points: player.total,
    par: par ?? 0,
    count: result.players.length,
    place: player.place,
    names: listed(result.winners.map((winner) => names[winner] ?? "")),
    title: result.title?.text ?? "",
  };
  const parts = partsOf(mode).filter(
    (part) => part !== "bonus" && (part !== "swap" || player.swap),
  );
  const told = parts.map((part) => partTold(part, pointsOf(player, part), player.bonus));
  return `${first(mode, seat, par, places)} ${told.join(", ")}.`;
}

function first(
  mode: ViewInfo["mode"],
  seat: number | null,
  par: number | null,
  places: Record<string, string | number>,
): string {
  if (mode === "solo")
    return par === null ? t("web.share.solo", places) : t("web.share.par", places);
  return seat === null ? t("web.share.watched", places) : t("web.share.place", places);
}

function partTold(part: Part, points: number, bonus: number): string {
  switch (part) {
    case "color":
      return t("web.share.color", { points });
    case "handle":
      return t("web.share.handle", { points });
    case "swap":
      return t("web.share.swap", { points });
    default:
      return t("web.share.row", { points: bonus > 0 ? `${points} + ${bonus}` : points });
  }
}

/** The address under which a table can be looked at. */
export function linkOf(table: string): string {
  return new URL(`/t/${table}`, location.href).href;
}
