import type { VNode } from "preact";
import type { Replay } from "../protocol";
import { roundWords } from "../sentences";
import { t } from "../words";
import { curves } from "./course";

const W = 210;
const H = 56;

interface ChartProps {
  replay: Replay;
  round: number;
  seat: number;
  names: string[];
  onRound: (round: number) => void;
}

/** Everybody's points over the rounds; a round can be chosen in it. */
export function Chart({ replay, round, seat, names, onRound }: ChartProps): VNode {
  const lines = curves(replay);
  const most = Math.max(10, ...lines.flat());
  const steps = Math.max(1, replay.rounds.length - 1);
  const x = (place: number) => 6 + ((W - 12) * place) / steps;
  const y = (points: number) => H - 6 - ((H - 16) * points) / most;
  const path = (points: number[]) =>
    points.map((value, place) => `${place === 0 ? "M" : "L"}${x(place)} ${y(value)}`).join("");
  const here = lines[seat]?.[round] ?? 0;
  return (
    <div class="replay-chart">
      <svg viewBox={`0 0 ${W} ${H}`} role="img" aria-label={said(lines, names, round)}>
        <path class="now" d={`M${x(round)} 2V${H - 2}`} />
        {lines.map((points, other) =>
          other === seat ? null : <path key={names[other]} class="line" d={path(points)} />,
        )}
        <path class="line own" d={path(lines[seat] ?? [])} />
        <circle cx={x(round)} cy={y(here)} r="3.4" />
      </svg>
      <div class="rounds">
        {replay.rounds.map((each) => (
          <button
            key={each.round}
            type="button"
            aria-current={each.round === round ? "step" : undefined}
            aria-label={roundWords(each.round)}
            title={roundWords(each.round)}
            onClick={() => onRound(each.round)}
          />
        ))}
      </div>
    </div>
  );
}

/** Everybody's points after a round, in words. */
function said(lines: number[][], names: string[], round: number): string {
  const points = lines.map((line, seat) => `${names[seat]} ${line[round]}`).join(", ");
  return t("labelled", { name: roundWords(round), text: points });
}
