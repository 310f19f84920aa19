import type { Listing } from "../protocol";
import { listed, t } from "../words";

// What lists of tables say of each.

/** One's own tables: what waits for oneself first, then what goes on, then what is over. */
export function inOrder(tables: Listing[]): Listing[] {
  const rank = (each: Listing): number => {
    if (each.waits_for_you) return 0;
    return ["playing", "waiting", "finished", "abandoned"].indexOf(each.phase) + 1;
  };
  return [...tables].sort((a, b) => rank(a) - rank(b) || b.updated - a.updated);
}

/** Who sits at a table besides oneself. */
export function whoWords(table: Listing): string {
  const names = table.names.flatMap((name, seat) => {
    if (seat === table.your_seat) return [];
    const bot = table.settings.bots[seat];
    if (bot != null) return [t("web.say.bot", { level: t(`bot.${bot}`) })];
    return name === null ? [] : [name];
  });
  if (names.length > 0) return listed(names);
  return table.settings.seats === 1 ? t("web.lobby.alone") : t("web.lobby.nobody");
}

/** How far a table is. */
export function stateWords(table: Listing): string {
  const { seats, bots } = table.settings;
  if (table.waits_for_you && table.round !== null) {
    const round =
      table.round === 0 ? t("web.lobby.round.start") : t("web.lobby.round", { round: table.round });
    return `${t("web.lobby.turn.yours")} · ${round}`;
  }
  if (table.phase === "playing" && table.your_seat !== null) return t("web.lobby.turn.others");
  if (table.phase !== "waiting") return t(`web.lobby.phase.${table.phase}`);
  const taken = table.names.filter((name, seat) => name !== null || bots[seat] != null).length;
  return `${t("web.lobby.phase.waiting")} · ${t("web.lobby.seated", { taken, count: seats })}`;
}

/** Whether nobody else minds if a table ends: no other person sits there. */
export function isOwn(table: Listing): boolean {
  const going = table.phase === "waiting" || table.phase === "playing";
  const alone = table.names.every((name, seat) => name === null || seat === table.your_seat);
  return going && alone && (table.your_seat !== null || table.made_by_you);
}
