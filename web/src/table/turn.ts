import { useEffect, useState } from "preact/hooks";
import { notify, turnWatch } from "../notify";
import { roundWords } from "../sentences";
import { t } from "../words";
import type { Local } from "./TableRoute";

/** Whether cards are dealt and the game is not over. */
function isPlaying({ place }: Local): boolean {
  const phase = place.table.value?.phase;
  return place.view.value !== null && phase !== "finished" && phase !== "abandoned";
}

/** Whether a person of this device still has to choose. */
export function isDue(local: Local): boolean {
  const { sitting, place } = local;
  const view = place.view.value;
  if (sitting === null || view === null || !isPlaying(local)) return false;
  const bot = place.table.value?.seats[sitting.seat]?.bot ?? null;
  return bot === null && view.public.sealed[sitting.seat] === false;
}

/** Tell that it is the turn of somebody at this device: by the title, and by a notice. */
export function useTurn(locals: Local[]): void {
  const [isNews] = useState(turnWatch);
  const { sitting, place } = locals.find(isDue) ?? {};
  const round = place?.view.value?.public.round ?? 0;
  const turn = sitting == null ? null : `${sitting.seat}.${round}`;
  const [first] = locals;
  const table = first?.place.table.value;
  const playing = first !== undefined && isPlaying(first);
  const known = table != null && (playing || table.phase !== "playing");
  useEffect(() => {
    if (known && isNews(turn, document.hidden))
      notify(t("web.play.your_turn", { round: roundWords(round) }), `/t/${table?.table}`);
  }, [known, turn]);
  useEffect(() => {
    if (!playing) return;
    const name = t("term.game");
    document.title = turn === null ? name : `(1) ${name}`;
    return () => {
      document.title = name;
    };
  }, [playing, turn === null]);
}
