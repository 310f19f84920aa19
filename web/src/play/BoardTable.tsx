import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { drawers, formatBoard, type Laid } from "../edition";
import { drawerWords } from "../sentences";
import { language, t } from "../words";

interface BoardTableProps {
  board: Laid[];
  caption: string;
}

/** A board as a plain table, read with the screen reader's own keys: five rows, a column per card. */
export function BoardTable({ board, caption }: BoardTableProps): VNode {
  return useMemo(
    () => boardTable({ board, caption }),
    [formatBoard(board), caption, language.value],
  );
}

function boardTable({ board, caption }: BoardTableProps): VNode {
  return (
    <table class="hidden-text">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <td />
          {board.map((laid, column) => (
            <th key={laid.card} scope="col">
              {t("web.play.column", { number: column + 1 })}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {[0, 1, 2, 3, 4].map((height) => (
          <tr key={height}>
            <th scope="row">{t("web.play.row", { number: height + 1 })}</th>
            {board.map((laid) => {
              const drawer = drawers(laid)[height];
              return <td key={laid.card}>{drawer === undefined ? "" : drawerWords(drawer)}</td>;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
