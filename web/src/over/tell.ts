import type { Drawer, ObjectiveInfo } from "../boot";
import { drawers, type Laid } from "../edition";
import { drawerWords } from "../sentences";
import { listed, signed, t } from "../words";
import { type Cell, KINDS, type Kind, type Part, type PlayerResult, pointsOf } from "./result";
import { type Known, type Why, whyOf } from "./whyNot";

/** The word of a part over its points: "colors". */
export function partWord(part: Part | "total"): string {
  if (part === "color") return t("web.over.colors");
  return part === "total" ? t("web.over.total") : t(`web.say.part.${part}`);
}

/** What a row objective counts, in two words: "red row". */
export function rowWord(row: ObjectiveInfo): string {
  if (row.only !== null) return t(`web.over.row.${row.only}`);
  return row.runs === "longest" ? t("web.say.part.row") : t("web.over.row.two");
}

/** How a part came to its points: "3 × 4 = 12", "+8". */
export function tally(player: PlayerResult, part: Part, each: number): string {
  const points = pointsOf(player, part);
  if (part === "bonus" || part === "swap") return signed(points);
  const count = part === "row" ? player.row.length : player[part].count;
  return `${count} × ${each} = ${points}`;
}

/** Who has won: oneself, with others, or somebody else. */
export function headline(
  winners: number[],
  names: string[],
  own: number | null,
  total: number,
): string {
  const called = winners.map((seat) => names[seat] ?? "");
  if (winners.length === 1)
    return winners[0] === own
      ? t("web.over.you_win", { count: total })
      : t("web.over.wins", { name: called[0] ?? "", count: total });
  if (own === null || !winners.includes(own))
    return t("web.over.shared", { names: listed(called) });
  const others = winners.filter((seat) => seat !== own).map((seat) => names[seat] ?? "");
  return t("web.over.shared.you", { names: listed([t("web.over.you"), ...others]) });
}

/** Columns as cards, from 1: "3 to 5", or one by one where some are skipped. */
function cardsOf(cells: Cell[]): string {
  const columns = cells.map(([column]) => column + 1).sort((a, b) => a - b);
  const first = columns[0] ?? 0;
  const last = columns.at(-1) ?? 0;
  const whole = last - first + 1 === columns.length && columns.length > 1;
  return whole ? t("web.over.from_to", { first, last }) : columns.join(", ");
}

/** What all drawers of a group have in common. */
function shared(kind: "color" | "handle", board: Laid[], cells: Cell[]): string | null {
  const [cell] = cells;
  const laid = cell && board[cell[0]];
  const drawer = laid && drawers(laid)[cell[1]];
  return drawer?.[kind] ?? null;
}

/** A combination or run in words: "Combination 2: 3 orange drawers, cards 3 to 5, rows 2-2-3". */
export function groupWords(
  kind: Kind,
  of: "color" | "handle",
  board: Laid[],
  cells: Cell[],
  number: number,
): string {
  const sorted = [...cells].sort((one, other) => one[0] - other[0]);
  const what = shared(of, board, sorted);
  const places = {
    number,
    drawers: what === null ? "" : t(`drawers.${what}`, { count: cells.length }),
    cards: cardsOf(sorted),
    rows: sorted.map(([, height]) => height + 1).join("-"),
  };
  if (kind !== "row") return t("web.over.combination", places);
  return t("web.over.run", { ...places, row: (sorted[0]?.[1] ?? 0) + 1 });
}

/** Why a drawer counts or not, as the end of a sentence. */
export function whyWords(kind: Kind, why: Why): string {
  switch (why.reason) {
    case "counted":
      return kind === "row"
        ? t("web.over.why.in_row")
        : t("web.over.why.counted", { number: why.number });
    case "taken":
      return t("web.over.why.taken", { numbers: listed(why.by.map(String)) });
    case "other": {
      const color = ["red", "turquoise", "pink", "orange", "black"].includes(why.only);
      return t("web.over.why.other", { what: t(`${color ? "color" : "handle"}.${why.only}`) });
    }
    case "rows":
      return t("web.over.why.rows", { rows: listed(why.rows.map(String)) });
    case "fits_not":
      return t("web.over.why.fits_not");
    case "bare":
      return t("web.over.why.bare");
    case "shorter":
      return t("web.over.why.shorter");
  }
}

/** A drawer with what it counts for and why not: "Orange, card 3, row 2. Colors: …". */
export function drawerTold(
  player: PlayerResult,
  known: Known | undefined,
  row: ObjectiveInfo,
  drawer: Drawer,
  cell: Cell,
  kinds: readonly Kind[],
): string {
  const [column, height] = cell;
  const name = drawerWords(drawer);
  const what = t("web.over.drawer", { drawer: name, card: column + 1, row: height + 1 });
  const asked = kinds.length === 0 ? KINDS : kinds;
  const reasons = asked.flatMap((kind) => {
    const why = whyOf(kind, player, known, row, drawer, cell);
    if (why === undefined) return [];
    return t("labelled", { name: partWord(kind), text: whyWords(kind, why) });
  });
  return [what, ...reasons].join(" · ");
}
