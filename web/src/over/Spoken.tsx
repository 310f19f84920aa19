import type { VNode } from "preact";
import { objective, parseBoard } from "../edition";
import { t } from "../words";
import { KINDS, type Kind, type PlayerResult } from "./result";
import type { Scene } from "./scene";
import { groupWords, partWord } from "./tell";

function groups(player: PlayerResult, kind: Kind) {
  return kind === "row" ? player.row.runs : player[kind].combinations;
}

/** All combinations of everybody as text, for ears: a heading per player, a list per part. */
export function Spoken({ scene }: { scene: Scene }): VNode {
  const { view, result, names } = scene;
  return (
    <section class="hidden-text" aria-label={t("web.over.combinations")}>
      {result.players.map((player, seat) => {
        const board = parseBoard(view.boards[seat] ?? "");
        return (
          <div key={names[seat]}>
            <h2>{t("web.over.total_of", { name: names[seat] ?? "", count: player.total })}</h2>
            {KINDS.map((kind, place) => {
              const { of } = objective(view.objectives[place] ?? 1);
              return (
                <div key={kind}>
                  <h3>{partWord(kind)}</h3>
                  <ul>
                    {groups(player, kind).map((cells, i) => (
                      <li key={cells.join(" ")}>{groupWords(kind, of, board, cells, i + 1)}</li>
                    ))}
                    {groups(player, kind).length === 0 && <li>{t("web.over.none")}</li>}
                  </ul>
                </div>
              );
            })}
          </div>
        );
      })}
    </section>
  );
}
