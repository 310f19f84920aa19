import type { VNode } from "preact";
import { objective } from "../edition";
import { t } from "../words";
import { type Part, partsOf } from "./result";
import { type Scene, useWide } from "./scene";
import { partWord, rowWord, tally } from "./tell";

interface CountersProps {
  scene: Scene;
  seat: number;
  /** How many parts have been counted. */
  counted: number;
  /** The part that is shown alone, or counted right now. */
  only: Part | null;
  /** Points so far. */
  sum: number;
  /** After the beats the counters are switches. */
  onOnly: ((part: Part | null) => void) | null;
}

/** The five parts of a total: how each came about; after the beats, switches. */
export function Counters({ scene, seat, counted, only, sum, onOnly }: CountersProps): VNode {
  const { view, result } = scene;
  const player = result.players[seat];
  const wide = useWide();
  const parts = partsOf(view.mode);
  const [color, handle, row] = view.objectives.map(objective);
  const each = { color: color?.points ?? 0, handle: handle?.points ?? 0, row: row?.points ?? 0 };
  if (player === undefined || row === undefined) return <div class="over-counters" />;

  function label(part: Part): string {
    if (part === "row" && row !== undefined) return rowWord(row);
    if (!wide) return partWord(part);
    if (part === "swap")
      return player?.swap === 0 ? t("web.over.swap.used") : t("web.over.swap.kept");
    return part === "bonus" ? t("web.over.longest") : partWord(part);
  }

  const words = (part: Part, shown: boolean): VNode => (
    <>
      <Icon part={part} />
      <span class="what">{label(part)}</span>
      <b>
        {shown
          ? tally(player, part, part === "bonus" || part === "swap" ? 0 : each[part])
          : "\u00a0"}
      </b>
    </>
  );

  return (
    <div class="over-counters" data-tip="end">
      {parts.map((part, place) => {
        const shown = place < counted;
        const name = `over-counter ${part === only ? "only" : ""} ${shown ? "" : "open"}`;
        if (onOnly === null)
          return (
            <div key={part} class={name}>
              {words(part, shown)}
            </div>
          );
        return (
          <button
            key={part}
            type="button"
            class={name}
            aria-pressed={part === only}
            onClick={() => onOnly(part === only ? null : part)}
          >
            {words(part, shown)}
          </button>
        );
      })}
      <div class="over-counter sum">
        <span class="what">{partWord("total")}</span>
        <b>{sum}</b>
      </div>
    </div>
  );
}

const PATHS: Record<Part, string> = {
  color: "M1.5 1.5h8v6h-8zM16.5 1.5h8v6h-8zM9.5 7.5h7v7h-7z",
  handle: "M9.2 5a4 4 0 1 1-8 0a4 4 0 0 1 8 0M24.8 11a4 4 0 1 1-8 0a4 4 0 0 1 8 0M8.8 6.6l8.4 2.8",
  row: "M3 2.5h20v5h-20zM3 13h20",
  bonus: "M3 3h20M3 8.2h14M3 13.4h8",
  swap: "M8 1h10a1.5 1.5 0 0 1 1.5 1.5v11a1.5 1.5 0 0 1-1.5 1.5h-10a1.5 1.5 0 0 1-1.5-1.5v-11a1.5 1.5 0 0 1 1.5-1.5zM13 5v6M10 8h6",
};

/** The sign of a part: outline, rings, band, lengths, swap card. */
export function Icon({ part }: { part: Part }): VNode {
  return (
    <svg class={`over-icon ${part}`} viewBox="0 0 26 16" width="26" height="16" aria-hidden="true">
      <path d={PATHS[part]} />
    </svg>
  );
}
