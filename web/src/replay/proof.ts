import { hmac } from "@noble/hashes/hmac.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { parseMove } from "../choice";
import { formatBoard, type Laid } from "../edition";
import { hash } from "../fair";
import type { ProofInfo } from "../protocol";

const CARDS = 60;
const WORDS = 2 ** 32;
const LAST_ROUND = 6;
const SEED = /^[0-9a-f]{64}$/;
const RULES =
  /^(standard|variant|solo);n=([1-6]);obj=(random|\d{1,2},\d{1,2},\d{1,2});edition=([0-9a-f]{64})$/;
const NUMBERS = { color: [1, 7], handle: [8, 14], row: [15, 30] } as const;

type Mode = "standard" | "variant" | "solo";
/** A part of a proof, or of what else is known, that does not fit the rest. */
export type Part =
  | "rules"
  | "server_seed"
  | "seat_seeds"
  | "seat_commits"
  | "objectives"
  | "deck"
  | "refill"
  | "moves"
  | "table"
  | "promise"
  | "own_seed"
  | "seen";

/** Something in a proof does not fit. */
export class Misfit extends Error {
  constructor(readonly part: Part) {
    super(part);
  }
}

/** What the seeds decide: cards by their numbers, the top of the pile first. */
export interface Deal {
  mode: Mode;
  seats: number;
  objectives: [number, number, number];
  deck: number[];
  refill: number[];
}

const sha = (...parts: string[]): string => hash(["SB1", ...parts].join("|"));
const mac = (key: Uint8Array, ...parts: string[]): Uint8Array =>
  hmac(sha512, key, utf8ToBytes(["SB1", ...parts].join("|")));

/** An endless stream of 32-bit words: blocks in counter mode. */
function* stream(key: Uint8Array, label: string): Generator<number, never> {
  for (let counter = 0; ; counter++) {
    const block = mac(key, label, String(counter));
    const words = new DataView(block.buffer, block.byteOffset, block.byteLength);
    for (let i = 0; i < block.byteLength; i += 4) yield words.getUint32(i);
  }
}

/** Items in the order of a stream: Fisher-Yates; a word that would prefer some places is skipped. */
export function shuffle(key: Uint8Array, label: string, items: number[]): number[] {
  const words = stream(key, label);
  const shuffled = [...items];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const limit = WORDS - (WORDS % (i + 1));
    let word = words.next().value;
    while (word >= limit) word = words.next().value;
    const j = word % (i + 1);
    const kept = shuffled[i] ?? 0;
    shuffled[i] = shuffled[j] ?? 0;
    shuffled[j] = kept;
  }
  return shuffled;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** The key of all random streams of one game; a seat that opened no seed counts as "". */
export function dealKey(proof: ProofInfo): Uint8Array {
  const { table, rules, server_seed, seat_seeds } = proof;
  return mac(hexToBytes(server_seed), "deal", table, rules, ...seat_seeds);
}

function deal(key: Uint8Array, rules: string, edition: string): Deal {
  const [, mode, seats, chosen, used] = RULES.exec(rules) ?? [];
  if (mode === undefined || seats === undefined || chosen === undefined || used !== edition)
    throw new Misfit("rules");
  if ((mode === "solo") !== (seats === "1")) throw new Misfit("rules");
  const kinds = Object.entries(NUMBERS);
  const drawn =
    chosen === "random"
      ? kinds.map(([kind, [first, last]]) =>
          Number(shuffle(key, `objectives-${kind}`, range(first, last))[0]),
        )
      : chosen.split(",").map(Number);
  const known = drawn.every((number, i) => {
    const [first, last] = kinds[i]?.[1] ?? [1, 0];
    return number >= first && number <= last;
  });
  if (!known) throw new Misfit("rules");
  return {
    mode: mode as Mode,
    seats: Number(seats),
    objectives: drawn as [number, number, number],
    deck: shuffle(key, "deck", range(0, CARDS - 1)).map((index) => index + 1),
    refill: shuffle(key, "reshuffle-1", range(0, CARDS - 1)).map((index) => index + 1),
  };
}

const same = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  JSON.stringify(some) === JSON.stringify(others);

/** The deal that a proof proves; throws what does not fit. `edition`: the hash of the cards' file. */
export function checkProof(proof: ProofInfo, edition: string): Deal {
  const { table, rules, server_seed, seat_seeds, seat_commits } = proof;
  if (table.includes("|")) throw new Misfit("table");
  if (rules.includes("|")) throw new Misfit("rules");
  if (!SEED.test(server_seed) || sha("server", table, rules, server_seed) !== proof.server_commit)
    throw new Misfit("server_seed");
  if (seat_seeds.length !== seat_commits.length) throw new Misfit("seat_commits");
  seat_seeds.forEach((seed, seat) => {
    if (seed === "") return;
    if (!SEED.test(seed) || sha("seat", table, String(seat), seed) !== seat_commits[seat])
      throw new Misfit("seat_seeds");
  });
  const decided = deal(dealKey(proof), rules, edition);
  if (seat_seeds.length !== decided.seats) throw new Misfit("seat_seeds");
  if (!same(proof.objectives, decided.objectives)) throw new Misfit("objectives");
  for (const part of ["deck", "refill"] as const)
    if (
      !same(
        proof[part].map((index) => index + 1),
        decided[part],
      )
    )
      throw new Misfit(part);
  return decided;
}

/** What a deal and the moves lead to: all hands so far by seat, and the boards. */
export interface Course {
  hands: number[][][];
  boards: string[];
}

/** The hands and boards of a game, from the deal and its moves `SEAT MOVE` alone. */
export function follow(dealt: Deal, moves: string[]): Course {
  const size = dealt.mode === "variant" ? 4 : 3;
  const drawn = dealt.mode === "solo" ? 2 : 1;
  const seats = range(0, dealt.seats - 1);
  let pile = dealt.deck.slice(size * dealt.seats);
  let discards: number[] = [];
  const hands = seats.map((seat) => [dealt.deck.slice(size * seat, size * (seat + 1))]);
  const boards: Laid[][] = seats.map(() => []);
  let chosen = new Map<number, number[]>();
  let round = 0;

  function draw(bottom = false): number {
    if (pile.length === 0) {
      pile = dealt.refill.filter((card) => discards.includes(card));
      discards = [];
    }
    const card = bottom ? pile.pop() : pile.shift();
    if (card === undefined) throw new Misfit("moves");
    return card;
  }

  function close(): void {
    const rests = seats.map((seat) => {
      const hand = hands[seat]?.at(-1) ?? [];
      return hand.filter((card) => !chosen.get(seat)?.includes(card));
    });
    chosen = new Map();
    const passed = round < LAST_ROUND && dealt.mode !== "solo";
    if (!passed) discards.push(...rests.flat());
    for (const seat of seats) {
      const right = rests[(seat + dealt.seats - 1) % dealt.seats] ?? [];
      const kept = passed ? [...right].sort((a, b) => a - b) : [];
      const fresh = round < LAST_ROUND ? range(1, drawn).map(() => draw()) : [];
      hands[seat]?.push([...kept, ...fresh]);
    }
    round += 1;
  }

  for (const line of moves) {
    const [who, text = ""] = line.split(" ");
    const seat = Number(who);
    const move = parseMove(text);
    const hand = hands[seat]?.at(-1);
    const board = boards[seat];
    if (move === null || hand === undefined || board === undefined || chosen.has(seat))
      throw new Misfit("moves");
    if (move.kind === "swap") {
      const fresh = [draw(true), draw(true)];
      discards.push(...hand);
      hands[seat]?.push(fresh);
      continue;
    }
    const laid = move.kind === "start" ? [move.left, move.right] : [move.laid];
    if ((move.kind === "start") !== (round === 0)) throw new Misfit("moves");
    if (!laid.every((each) => hand.includes(each.card))) throw new Misfit("moves");
    if (move.kind === "place" && move.end === "left") board.unshift(...laid);
    else board.push(...laid);
    chosen.set(
      seat,
      laid.map((each) => each.card),
    );
    if (chosen.size === dealt.seats) close();
  }
  return { hands, boards: boards.map(formatBoard) };
}

/** What a device knows of a deal besides the proof. */
export interface Witness {
  table: string;
  seat: number;
  /** The own seed; empty if it is not known here. */
  seed: string;
  opened: boolean;
  promise: { rules: string; server_commit: string; seat_commits: string[] } | null;
  /** The own hands, as they were shown during the game; null if nothing was kept. */
  seen: number[][] | null;
}

export type Verdict =
  | { fair: true; unopened: number[] }
  | { fair: false; part: Part }
  /** watched: no seat of this device; start: its start was not seen here; seed: own part missing. */
  | { fair: null; why: "watched" | "start" | "seed"; unopened: number[] };

/** Whether a deal was fair, as far as this device can know. `told`: the game as the server tells it. */
export function judge(
  proof: ProofInfo,
  edition: string,
  told: { moves: string[]; boards: string[] },
  witness: Witness | null,
): Verdict {
  try {
    const dealt = checkProof(proof, edition);
    const course = follow(dealt, told.moves);
    if (!same(course.boards, told.boards)) throw new Misfit("moves");
    const unopened = range(0, dealt.seats - 1).filter((seat) => proof.seat_seeds[seat] === "");
    return compare(proof, course, witness) ?? { fair: true, unopened };
  } catch (error) {
    if (error instanceof Misfit) return { fair: false, part: error.part };
    throw error;
  }
}

function compare(proof: ProofInfo, course: Course, witness: Witness | null): Verdict | null {
  const unopened = proof.seat_seeds.flatMap((seed, seat) => (seed === "" ? [seat] : []));
  if (witness === null) return { fair: null, why: "watched", unopened };
  if (witness.table !== proof.table) throw new Misfit("table");
  const dealt = course.hands[witness.seat] ?? [];
  if (witness.seen !== null && !same(witness.seen, dealt.slice(0, witness.seen.length)))
    throw new Misfit("seen");
  const ours = proof.seat_seeds[witness.seat];
  if (ours === undefined || (witness.opened && ours !== witness.seed)) throw new Misfit("own_seed");
  const { promise } = witness;
  if (promise === null) return { fair: null, why: "start", unopened };
  const shown = [promise.rules, promise.server_commit, promise.seat_commits];
  if (!same(shown, [proof.rules, proof.server_commit, proof.seat_commits]))
    throw new Misfit("promise");
  if (witness.seed === "" || ours !== witness.seed) return { fair: null, why: "seed", unopened };
  return null;
}
