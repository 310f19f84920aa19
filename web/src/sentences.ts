import type { Drawer } from "./boot";
import { type Move, parseMove } from "./choice";
import { drawers, type Laid, objective } from "./edition";
import type { AdviceInfo, OptionInfo, PointsInfo, SeatInfo, ViewInfo } from "./protocol";
import { formOf, listed, number, signed, t } from "./words";

// Every state that can be seen has its sentence here: for screen readers, log, preview and replay.

export const ROUNDS = 6;
const LETTERS = "ABCD";

/** The letter by which a card of the hand is called. */
export function letter(place: number): string {
  return LETTERS[place] ?? String(place + 1);
}

/** Which bot of the table a seat is, from 1; 0 if it is the only one. */
function botNumber(seats: SeatInfo[], seat: number): number {
  const bots = seats.flatMap((each, i) => (each.kind === "bot" ? [i] : []));
  return bots.length < 2 ? 0 : bots.indexOf(seat) + 1;
}

/** How a seat is called: a person by name, a bot by its strength. */
export function nameOf(seats: SeatInfo[], seat: number): string {
  const here = seats[seat];
  if (here?.name != null) return here.name;
  if (here?.kind !== "bot" || here.bot === null) return t("web.say.somebody", { number: seat + 1 });
  const level = t(`bot.${here.bot}`);
  const which = botNumber(seats, seat);
  if (which === 0) return t("web.say.bot", { level });
  return t("web.say.bot.numbered", { level, number: which });
}

/** The same where there is little room: at most so many letters, a bot just with its number. */
export function shortNameOf(seats: SeatInfo[], seat: number, most: number): string {
  const whole = nameOf(seats, seat);
  if (whole.length <= most) return whole;
  if (seats[seat]?.kind === "bot" && seats[seat]?.name == null) {
    const which = botNumber(seats, seat);
    return which === 0 ? t("web.say.state.bot") : `${t("web.say.state.bot")} ${which}`;
  }
  return clipped(whole, most);
}

function clipped(name: string, most: number): string {
  return name.length <= most ? name : `${name.slice(0, most - 1).trimEnd()}…`;
}

// ---- cards -------------------------------------------------------------------------------------

/** A drawer in words: "red flower", "black". */
export function drawerWords(drawer: Drawer): string {
  const color = t(`color.${drawer.color}`);
  if (drawer.handle === null) return color;
  return t("web.say.drawer", { color, handle: t(`handle.${drawer.handle}`) });
}

/** A card read from top to bottom as it lies: "Card A, drawn: top red flower, …" */
export function cardRead(card: string, laid: Laid): string {
  const [first = "", ...rest] = drawers(laid).map(drawerWords);
  const last = rest.pop() ?? "";
  return t("web.say.read", { card, first, middle: rest.join(", "), last });
}

/** A card of the hand, read: with its letter, where it comes from, and as it would lie. */
export function handCardRead(place: number, origin: string, laid: Laid): string {
  const parts = [t("web.say.card", { letter: letter(place) }), origin];
  if (laid.turned) parts.push(t("web.say.turned"));
  return cardRead(parts.join(", "), laid);
}

/** A card that lies, by its number: "35 turned". */
export function laidWords(laid: Laid): string {
  return laid.turned ? `${laid.card} ${t("web.say.turned")}` : String(laid.card);
}

/** At which end: "left". */
export function endWords(end: "left" | "right"): string {
  return end === "left" ? t("web.say.left") : t("web.say.right");
}

/** Where something lies in each card, from left to right: "red: heights 1, 1, 2, 5". */
export function trackRead(board: Laid[], what: string): string {
  const heights = board.map((laid) => {
    const found = drawers(laid).findIndex((each) => each.color === what || each.handle === what);
    return found < 0 ? "–" : String(found + 1);
  });
  const color = ["red", "turquoise", "pink", "orange", "black"].includes(what);
  const name = t(color ? `color.${what}` : `handle.${what}`);
  return t("web.say.track", { what: name, heights: heights.join(", ") });
}

// ---- points ------------------------------------------------------------------------------------

export type Part = "color" | "handle" | "row";
export const PARTS: readonly Part[] = ["color", "handle", "row"];
type Numbers = [number, number, number];

/** A part of the points by its everyday word: "handles". */
export function partWord(part: Part | "bonus" | "swap"): string {
  return t(`web.say.part.${part}`);
}

/** How often an objective is met, or how long its rows are. */
export function countOf(points: PointsInfo, part: Part, objectives: Numbers): number {
  return points[part] / objective(objectives[PARTS.indexOf(part)] ?? 1).points;
}

/** "2 × 4 = 8". */
export function tallyWords(points: PointsInfo, part: Part, objectives: Numbers): string {
  const each = objective(objectives[PARTS.indexOf(part)] ?? 1).points;
  return `${points[part] / each} × ${each} = ${points[part]}`;
}

/** What is sure: all points but the bonus, which depends on the others. */
export function sure(points: PointsInfo): number {
  return points.total - points.bonus;
}

/** "color 4 · handles 15 · row 6 · swap 1". */
export function partsWords(points: PointsInfo): string {
  const parts: (Part | "swap")[] = [...PARTS, "swap"];
  return parts.map((part) => `${partWord(part)} ${points[part]}`).join(" · ");
}

/** "4 + 9 + 8 + 1 = 22": what a table shows of others. */
export function sumWords(points: PointsInfo): { sum: string; total: number } {
  const parts = [points.color, points.handle, points.row, points.swap];
  return { sum: parts.join(" + "), total: sure(points) };
}

/** A number in an order: "2nd". */
export function nth(value: number, spoken: string): string {
  const form = formOf(spoken, value, "ordinal");
  const known = form === "one" || form === "two" || form === "few" ? form : "other";
  return t(`web.say.nth.${known}`, { number: value });
}

export interface Change {
  part: Part;
  /** "color", or "row 3 to 4". */
  words: string;
  gain: number;
  /** "2nd": how many there are then. */
  nth: string | null;
}
/** What a choice would change, for the eye in parts and for the ear as a sentence. */
export interface Preview {
  gain: number;
  changes: Change[];
  total: number;
  bonus: string | null;
}

/** What a choice changes against the points of now; `rows`: the rows of all others. */
export function previewOf(
  before: PointsInfo,
  after: PointsInfo,
  view: ViewInfo,
  spoken: string,
): Preview {
  const objectives = view.objectives;
  const changes = PARTS.flatMap((part): Change[] => {
    const gain = after[part] - before[part];
    if (gain === 0) return [];
    const [from, to] = [countOf(before, part, objectives), countOf(after, part, objectives)];
    if (part === "row") return [{ part, words: t("web.say.rows", { from, to }), gain, nth: null }];
    return [{ part, words: partWord(part), gain, nth: gain > 0 ? nth(to, spoken) : null }];
  });
  const total = sure(after);
  return { gain: total - sure(before), changes, total, bonus: bonusWords(after, view, spoken) };
}

/** What the row would get if it ended now, always said as provisional; null without a row. */
function bonusWords(after: PointsInfo, view: ViewInfo, spoken: string): string | null {
  const scores = view.public.scores;
  if (scores === null || view.seat === null || after.row === 0) return null;
  const bonus = signed(after.bonus);
  if (view.mode === "solo") {
    if (after.bonus === 0) return null;
    return t("web.say.rank.solo", { bonus, length: countOf(after, "row", view.objectives) });
  }
  const others = scores.filter((_, seat) => seat !== view.seat).map((each) => each.row);
  const longer = new Set(others.filter((row) => row > after.row));
  const rank = nth(longer.size + 1, spoken);
  const places = { rank, count: scores.length, bonus };
  return others.includes(after.row) ? t("web.say.rank.tied", places) : t("web.say.rank", places);
}

/** A name and what is said of it, as the language writes that: "+6: color +4". */
export function labelled(name: string, text: string): string {
  return t("labelled", { name, text });
}

/** A change in words: "color +4 (2nd)". */
export function changeWords(change: Change): string {
  const gain = `${change.words} ${signed(change.gain)}`;
  return change.nth === null ? gain : `${gain} (${change.nth})`;
}

/** "+6: color +4 (2nd), row 3 to 4 +2 · total 32 · row now tied 1st of 4: +8 if it ended now". */
export function previewSentence(preview: Preview): string {
  const changes = preview.changes.map(changeWords).join(", ") || t("web.say.nothing");
  const total = t("web.say.total", { total: preview.total });
  const parts = [labelled(signed(preview.gain), changes), total];
  if (preview.bonus !== null) parts.push(preview.bonus);
  return parts.join(" · ");
}

// ---- moves -------------------------------------------------------------------------------------

/** A choice by the letters of the hand: "Card B, turned, left", "Cards A and C, C turned". */
export function choiceWords(move: Move, hand: number[]): string {
  const called = (laid: Laid) => letter(hand.indexOf(laid.card));
  if (move.kind === "swap") return t("web.play.swap");
  if (move.kind === "place") {
    const parts = [t("web.say.card", { letter: called(move.laid) })];
    if (move.laid.turned) parts.push(t("web.say.turned"));
    return [...parts, endWords(move.end)].join(", ");
  }
  const pair = [move.left, move.right].sort((a, b) => hand.indexOf(a.card) - hand.indexOf(b.card));
  const [one = "", two = ""] = pair.map(called);
  const cards = t("web.say.cards", { one, two });
  const turned = pair.filter((each) => each.turned);
  const [first] = turned;
  if (first === undefined) return cards;
  const how =
    turned.length === 2
      ? t("web.say.both_turned")
      : t("web.say.one_turned", { letter: called(first) });
  return `${cards}, ${how}`;
}

/** A line of the list of all options: what it is, what it would count, what the coach says. */
export function optionWords(
  option: OptionInfo,
  hand: number[],
  objectives: Numbers,
  advice?: AdviceInfo,
): string {
  const move = parseMove(option.move);
  if (move === null) return option.move;
  const parts = [choiceWords(move, hand)];
  const points = option.points;
  if (points !== undefined)
    parts.push(
      PARTS.map((part) => `${partWord(part)} ${timesWords(points, part, objectives)}`).join(", "),
    );
  if (advice !== undefined) parts.push(coachWords(advice));
  return parts.reduce(labelled);
}

function timesWords(points: PointsInfo, part: Part, objectives: Numbers): string {
  const count = countOf(points, part, objectives);
  const each = objective(objectives[PARTS.indexOf(part)] ?? 1).points;
  return part === "row" || count === 0 ? String(count) : `${count} × ${each}`;
}

/** What the coach expects: "coach: 41.5 expected". */
export function coachWords(advice: AdviceInfo): string {
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return t("web.say.coach", { points: number(advice.expected, digits) });
}

/** A move that somebody made, by card numbers: "Ana placed 24, left"; null: it was oneself. */
export function moveWords(move: Move, name: string | null): string {
  if (move.kind === "swap")
    return name === null ? t("web.say.you.swapped") : t("web.say.swapped", { name });
  if (move.kind === "start") {
    const cards = listed([move.left, move.right].map(laidWords));
    return name === null
      ? t("web.say.you.started", { cards })
      : t("web.say.started", { name, cards });
  }
  const places = { card: laidWords(move.laid), end: endWords(move.end) };
  return name === null ? t("web.say.you.laid", places) : t("web.say.laid", { name, ...places });
}

// ---- the table ---------------------------------------------------------------------------------

/** "Start", "Round 4 of 6". */
export function roundWords(round: number): string {
  return round === 0 ? t("web.say.start") : t("web.say.round", { round, rounds: ROUNDS });
}

/** Whom all are waiting for: at most two names, then how many more. */
export function waitWords(names: string[]): string {
  if (names.length <= 2) return t("web.say.wait", { names: listed(names) });
  return t("web.say.wait.more", { names: names.slice(0, 2).join(", "), count: names.length - 2 });
}

/** How many lines of so many letters a sentence takes, broken between words. */
function linesOf(sentence: string, letters: number): number {
  let lines = 1;
  let used = -1;
  for (const word of sentence.split(" ")) {
    if (used + 1 + word.length > letters) {
      lines += used < 0 ? 0 : 1;
      used = -1;
    }
    used += 1 + word.length;
  }
  return lines;
}

/** The same for so many lines: shorter names, then only one of them, then just their number. */
export function waitBrief(names: string[], letters: number, lines: number): string {
  const [first = ""] = names;
  const count = names.length - 1;
  const ways: string[] = [];
  for (let most = 24; most >= 7; most--)
    ways.push(waitWords(names.map((name) => clipped(name, most))));
  for (let most = 24; most >= 5 && count > 0; most--)
    ways.push(t("web.say.wait.more", { names: clipped(first, most), count }));
  const short = count > 0 ? number(names.length) : clipped(first, 7);
  return (
    ways.find((words) => linesOf(words, letters) <= lines) ?? t("web.say.wait", { names: short })
  );
}

/** Time in words, in the largest unit that says enough: "2 days left", "12 seconds left". */
export function timeWords(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  if (seconds < 90) return t("web.say.seconds", { count: seconds });
  if (seconds < 5400) return t("web.say.minutes", { count: Math.round(seconds / 60) });
  if (seconds < 129_600) return t("web.say.hours", { count: Math.round(seconds / 3600) });
  return t("web.say.days", { count: Math.round(seconds / 86_400) });
}

/** How a seat stands in this round. */
export type SeatState = "locked" | "thinking" | "away" | "bot";

/** What a seat is doing: a bot is a bot until it has chosen. */
export function seatState(here: SeatInfo, sealed: boolean): SeatState {
  if (sealed) return "locked";
  if (here.bot !== null) return "bot";
  return here.away || !here.present ? "away" : "thinking";
}

export function stateWords(state: SeatState): string {
  return t(`web.say.state.${state}`);
}

/** What an objective asks for, in one sentence. */
export function objectiveWords(asked: number): string {
  const info = objective(asked);
  if (info.kind !== "row")
    return t(info.kind === "color" ? "objective.color" : "objective.handle", {
      count: info.points,
    });
  if (info.only !== null) return t(`objective.only.${info.only}`);
  if (info.runs === "two longest") return t(`objective.${info.of}.two`);
  if (info.runs === "longest") return t(`objective.${info.of}.longest`);
  const [upper = 0, lower = 0] = info.rows;
  return t(`objective.${info.of}.each`, { upper: upper + 1, lower: lower + 1 });
}
