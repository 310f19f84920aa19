import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, Refusal } from "../api";
import { boot } from "../boot";
import type { ProofInfo, Replay } from "../protocol";
import { judge, type Verdict } from "../replay/proof";
import { sittingsAt } from "../sitting";
import { t } from "../words";

/** The verdict on a deal; "unknown": proof or game could not be had. */
type State = Verdict | "practice" | "unknown" | null;

async function check(table: string): Promise<State> {
  try {
    const [proof, replay] = await Promise.all([
      get<ProofInfo>(`/api/tables/${table}/proof`),
      get<Replay>(`/api/tables/${table}/replay`),
    ]);
    const told = {
      moves: replay.rounds.flatMap((round) => round.moves),
      boards: replay.rounds.at(-1)?.boards ?? proof.seat_seeds.map(() => ""),
    };
    const [sitting] = sittingsAt(table);
    const witness = sitting === undefined ? null : { ...sitting, seen: sitting.seen ?? null };
    return judge(proof, boot.edition, told, witness);
  } catch (error) {
    if (error instanceof Refusal) return "unknown";
    throw error;
  }
}

interface DealProps {
  table: string;
  practice: boolean;
  /** Say only what is sure; the replay says all. */
  brief?: boolean;
}

/** Whether the deal was fair, checked here and now. */
export function Deal({ table, practice, brief }: DealProps): VNode {
  const [state, setState] = useState<State>(practice ? "practice" : null);
  useEffect(() => {
    if (practice) return;
    let here = true;
    void check(table).then((found) => here && setState(found));
    return () => {
      here = false;
    };
  }, [table, practice]);
  const fair = state !== null && typeof state === "object" ? state.fair : undefined;
  const name = fair === true ? "fair" : fair === false ? "unfair" : "";
  return (
    <span class={`over-deal ${name}`} role="status">
      {fair === true && (
        <svg viewBox="0 0 12 10" width="12" height="10" aria-hidden="true">
          <path d="M1 5l3.4 3.6L11 1" />
        </svg>
      )}
      <span>{brief ? briefly(state) : wordsOf(state)}</span>
    </span>
  );
}

/** The verdict where there is little room: fair, or what does not fit. */
function briefly(state: State): string {
  if (state === null || typeof state === "string" || state.fair === null) return "";
  return state.fair ? t("web.over.fair") : wordsOf(state);
}

/** The verdict in words: fair, what does not fit, or why it cannot be known. */
function wordsOf(state: State): string {
  if (state === null) return t("web.replay.deal.checking");
  if (state === "practice") return t("web.replay.deal.practice");
  if (state === "unknown") return t("web.replay.deal.no_proof");
  if (state.fair === true) return t("web.replay.deal.fair");
  if (state.fair === false)
    return t("web.replay.deal.unfair", { what: t(`web.replay.misfit.${state.part}`) });
  return t(`web.replay.deal.why.${state.why}`);
}
