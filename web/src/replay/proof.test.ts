import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ProofInfo } from "../protocol";
import { checkProof, dealKey, follow, judge, shuffle, type Witness } from "./proof";

interface Game {
  proof: ProofInfo;
  moves: string[];
  hands: number[][][];
  boards: string[];
}
interface Vectors {
  edition: string;
  games: Game[];
  tampered: { proof: ProofInfo; part: string }[];
}
const file = new URL("../../../tests/golden/proofs.json", import.meta.url);
const { edition, games, tampered } = JSON.parse(readFileSync(file, "utf8")) as Vectors;
const [solo, pair, four] = games as [Game, Game, Game];

function witness({ proof, hands }: Game, seat: number): Witness {
  return {
    table: proof.table,
    seat,
    seed: proof.seat_seeds[seat] ?? "",
    opened: true,
    promise: {
      rules: proof.rules,
      server_commit: proof.server_commit,
      seat_commits: proof.seat_commits,
    },
    seen: hands[seat] ?? [],
  };
}

test("the published vector: seeds decide the deck", () => {
  const seat_seeds = ["1", "2", "3", "4"].map((digit) => digit.repeat(64));
  const proof = { table: "T1", rules: "base;n=4;obj=random", server_seed: "0".repeat(64) };
  const key = dealKey({ ...four.proof, ...proof, seat_seeds });
  const deck = shuffle(
    key,
    "deck",
    Array.from({ length: 60 }, (_, i) => i),
  );
  expect(deck.slice(0, 6)).toEqual([50, 15, 55, 31, 21, 12]);
});

test("proofs of the core are right here too, and lead to the same hands and boards", () => {
  for (const game of games) {
    const dealt = checkProof(game.proof, edition);
    expect(dealt.deck.map((card) => card - 1)).toEqual(game.proof.deck);
    expect(follow(dealt, game.moves)).toEqual({ hands: game.hands, boards: game.boards });
  }
});

test("what the core refuses is refused here, for the same part", () => {
  expect(tampered.length).toBeGreaterThan(15);
  for (const { proof, part } of tampered)
    expect(judge(proof, edition, four, null)).toEqual({ fair: false, part });
});

test("a deal is fair when proof, promise, own seed and seen hands agree", () => {
  expect(judge(four.proof, edition, four, witness(four, 0))).toEqual({ fair: true, unopened: [3] });
  expect(judge(solo.proof, edition, solo, witness(solo, 0))).toEqual({ fair: true, unopened: [] });
  const early = { ...witness(pair, 0), seen: pair.hands[0]?.slice(0, 2) ?? null };
  expect(judge(pair.proof, edition, pair, early).fair).toBe(true);
});

test("a deal is unfair when it contradicts what this device knows", () => {
  const here = witness(four, 1);
  const promise = here.promise ?? { rules: "", server_commit: "", seat_commits: [] };
  const commits = ["", ...promise.seat_commits.slice(1)];
  const cases: [Partial<Witness>, string][] = [
    [{ table: "T2" }, "table"],
    [{ seed: "f".repeat(64) }, "own_seed"],
    [{ seen: [[1, 2, 3]] }, "seen"],
    [{ seat: 9, seen: null }, "own_seed"],
    [{ promise: { ...promise, rules: "standard" } }, "promise"],
    [{ promise: { ...promise, server_commit: "" } }, "promise"],
    [{ promise: { ...promise, seat_commits: commits } }, "promise"],
  ];
  for (const [change, part] of cases)
    expect(judge(four.proof, edition, four, { ...here, ...change })).toEqual({ fair: false, part });
});

test("cards other than those of the deal are found out", () => {
  const [first = "", ...rest] = four.moves;
  const swapped = [first.replace(/^0 \d+/, "0 99"), ...rest];
  const told = { moves: swapped, boards: four.boards };
  expect(judge(four.proof, edition, told, null)).toEqual({ fair: false, part: "moves" });
  const boards = [...four.boards.slice(1), ""];
  expect(judge(four.proof, edition, { moves: four.moves, boards }, null)).toEqual({
    fair: false,
    part: "moves",
  });
});

test("what cannot be known is told with its reason", () => {
  const unopened = [3];
  const about = (other: Witness | null) => judge(four.proof, edition, four, other);
  expect(about(null)).toEqual({ fair: null, why: "watched", unopened });
  const here = witness(four, 0);
  expect(about({ ...here, promise: null })).toEqual({ fair: null, why: "start", unopened });
  expect(about({ ...here, seed: "", opened: false })).toEqual({
    fair: null,
    why: "seed",
    unopened,
  });
});
