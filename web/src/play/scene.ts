import { type Choice, optionOf } from "../choice";
import { type Laid, parseBoard } from "../edition";
import { type MarksInfo, marks } from "../marks";
import type { Place } from "../place";
import type { OptionInfo, PointsInfo, TableInfo, ViewInfo } from "../protocol";
import { nameOf, type Preview, previewOf, ROUNDS, shortNameOf } from "../sentences";
import { settings } from "../settings";
import { language, t } from "../words";
import { type Desk, handOf } from "./desk";
import { type Layout, layoutOf, screen } from "./layout";
import { boardWith } from "./shown";
import { drawnFrom } from "./story";

/** All that the parts of the screen draw from, made anew for every picture. */
export interface Scene {
  place: Place;
  desk: Desk;
  view: ViewInfo;
  table: TableInfo;
  /** The own seat; null for somebody who watches. */
  seat: number | null;
  /** Whose board is shown large: the own one, or of somebody whom one watches. */
  large: number;
  round: number;
  layout: Layout;
  /** How much help there is: what the table allows, or less. */
  level: number;
  hand: number[];
  choice: Choice;
  locked: boolean;
  /** What the server offers for the present choice. */
  option: OptionInfo | undefined;
  /** The own points of now. */
  points: PointsInfo | undefined;
  preview: Preview | undefined;
  /** The own board as it lies, and with the choice. */
  board: Laid[];
  shown: { board: Laid[]; ghost: number[]; by: number };
  before: MarksInfo | undefined;
  after: MarksInfo | undefined;
  name: (seat: number) => string;
  /** A name of at most so many letters. */
  brief: (seat: number, most: number) => string;
  /** The neighbour who gets what is left; null: it is thrown away. */
  receiver: number | null;
  giver: number | null;
  /** Whether a bot plays for the person whose seat this is. */
  replaced: boolean;
}

/** The scene of a place; null until everything is known. `watched`: whose board a spectator sees. */
export function sceneOf(place: Place, desk: Desk, watched = 0): Scene | null {
  const view = place.view.value;
  const table = place.table.value;
  if (view === null || table === null) return null;
  const seat = view.seat;
  const hand = handOf(view);
  const choice = desk.choice.value;
  const level =
    view.public.scores === null ? 0 : Math.min(settings.value.assist, table.settings.assist);
  const points = seat === null || level === 0 ? undefined : view.public.scores?.[seat];
  const option = optionOf(choice, view.options);
  const board = parseBoard(view.boards[seat ?? watched] ?? "");
  const shown = seat === null ? { board, ghost: [], by: 0 } : boardWith(board, choice);
  const { w, h } = screen.value;
  const seats = view.boards.length;
  const passes = seat !== null && seats > 1 && view.public.round < ROUNDS;
  return {
    place,
    desk,
    view,
    table,
    seat,
    large: seat ?? watched,
    round: view.public.round,
    layout: layoutOf(w, h, hand.length),
    level,
    hand,
    choice,
    locked: desk.locked.value,
    option,
    points,
    preview:
      level > 0 && points !== undefined && option?.points !== undefined
        ? previewOf(points, option.points, view, language.value)
        : undefined,
    board,
    shown,
    before: level > 0 && board.length > 0 ? marks(view.objectives, board) : undefined,
    after: level > 0 && shown.board.length > 0 ? marks(view.objectives, shown.board) : undefined,
    name: (which) => nameOf(table.seats, which),
    brief: (which, most) => shortNameOf(table.seats, which, most),
    receiver: passes ? (seat + 1) % seats : null,
    giver: passes ? (seat + seats - 1) % seats : null,
    replaced:
      seat !== null && table.seats[seat]?.kind === "person" && table.seats[seat]?.bot != null,
  };
}

/** Where a card of the hand comes from: "from Peter", "drawn". */
export function originOf(scene: Scene, place: number, most = 99): string {
  const { view, seat, hand } = scene;
  if (seat === null) return "";
  const count = view.boards.length;
  const swapped = view.public.swapped.includes(seat);
  if (place < drawnFrom(view, hand, swapped))
    return t("web.say.from", { name: scene.brief((seat + count - 1) % count, most) });
  return t("web.say.drawn");
}

/** Where a card of the hand would go; empty while nothing is chosen. */
export function destinationOf(scene: Scene, card: number, most = 99): string {
  const { choice, receiver } = scene;
  if (choice.kind === "start") {
    const at = choice.laid.findIndex((each) => each.card === card);
    if (at >= 0) return at === 0 ? t("web.say.left") : t("web.say.right");
    if (choice.laid.length < 2) return "";
  } else {
    if (choice.card === null) return "";
    if (choice.card === card)
      return choice.end === "left" ? t("term.left_end") : t("term.right_end");
  }
  return receiver === null
    ? t("web.say.thrown")
    : t("web.say.to", { name: scene.brief(receiver, most) });
}

/** Why the hand cannot be swapped, in words; null if it can. */
export function whyNoSwap(scene: Scene): string | null {
  const { view, seat } = scene;
  if (view.mode === "variant") return t("web.play.swap.variant");
  if (scene.round === 0) return t("web.play.swap.early");
  if (seat !== null && view.public.swaps[seat] === false) return t("web.play.swap.used");
  if (scene.locked) return t("web.play.swap.locked");
  return view.options.some((option) => option.move === "swap") ? null : t("web.play.swap.locked");
}
