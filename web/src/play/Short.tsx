import type { VNode } from "preact";
import { cellRect } from "../board/geometry";
import type { Color } from "../boot";
import { t } from "../words";
import type { Scene } from "./scene";

const COLORS: readonly string[] = ["red", "turquoise", "pink", "orange", "black"];

/** Where one drawer is missing for one more combination: a small sign in the free end. */
export function Short({ scene }: { scene: Scene }): VNode | null {
  const { before, board, layout, choice } = scene;
  if (before === undefined) return null;
  const taken = choice.kind === "place" && choice.card !== null ? choice.end : null;
  const missing = before.short.filter((each) => each.end !== taken);
  if (missing.length === 0) return null;
  return (
    <ul class="short" aria-label={t("web.say.short")}>
      {missing.map(({ end, height, what, kind }) => {
        const column = end === "left" ? -1 : board.length;
        const { x, y, w, h } = cellRect([column, height], board.length, layout.board);
        const beside = missing.filter((each) => each.end === end && each.height === height);
        const place = beside.findIndex((each) => each.what === what);
        const left = x + w / 2 + (place - (beside.length - 1) / 2) * 13;
        const words = t(COLORS.includes(what) ? `color.${what as Color}` : `handle.${what}`);
        return (
          <li
            key={`${end} ${height} ${what}`}
            class={`${kind} ${what}`}
            style={{ left: `${left}px`, top: `${y + h / 2}px` }}
          >
            <span class="hidden-text">{words}</span>
            {kind === "handle" && (
              <svg viewBox="-17 -17 34 34" width="15" height="15" aria-hidden="true">
                <use href={`#i-${what}`} />
              </svg>
            )}
          </li>
        );
      })}
    </ul>
  );
}
