import type { VNode } from "preact";
import { t } from "../words";
import { Icon } from "./Counters";
import { lengthOf, partsOf, pointsOf, ranking } from "./result";
import type { Scene } from "./scene";
import { partWord } from "./tell";

interface TableProps {
  scene: Scene;
  /** Whose board is shown large. */
  seat: number;
  /** How many parts have been counted, and what they come to; all: the result. */
  counted: number;
  sums: number[];
  told: boolean;
  onSeat: (seat: number) => void;
}

/** Everybody's points part by part, best first; a name shows that board. */
export function ResultTable(props: TableProps): VNode {
  const { scene, seat, told, onSeat } = props;
  const { view, result, own, names } = scene;
  const parts = partsOf(view.mode);
  const order = told ? ranking(result.players) : result.players.map((_, each) => each);
  return (
    <table class={`over-table ${result.players.length > 4 ? "many" : ""}`}>
      <caption class="hidden-text">{t("web.over.result")}</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="hidden-text">{t("score.place")}</span>
          </th>
          <th scope="col">
            <span class="hidden-text">{t("score.player")}</span>
          </th>
          {parts.map((part) => (
            <th key={part} scope="col">
              <Icon part={part} />
              <span>{partWord(part)}</span>
            </th>
          ))}
          <th scope="col">{partWord("total")}</th>
        </tr>
      </thead>
      <tbody>
        {order.map((each) => {
          const player = result.players[each];
          if (player === undefined) return null;
          return (
            <tr key={each} class={each === own ? "over-own" : ""}>
              <td class="over-cell place">{told && player.place}</td>
              <th scope="row" class="over-player">
                <button
                  type="button"
                  class={`over-name ${lengthOf(names[each])}`}
                  aria-pressed={each === seat}
                  onClick={() => onSeat(each)}
                >
                  {names[each]}
                </button>
              </th>
              {parts.map((part, place) => (
                <td key={part} class="over-cell">
                  {place < props.counted && pointsOf(player, part)}
                </td>
              ))}
              <td class="over-cell total">{props.sums[each]}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
