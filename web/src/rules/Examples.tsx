import type { VNode } from "preact";
import { CardPicture } from "../board/CardPicture";
import { DESK, PHONE } from "../board/geometry";
import { ObjectivePicture } from "../board/ObjectivePicture";
import { Sideboard } from "../board/Sideboard";
import { boot } from "../boot";
import { formatBoard, objective, parseBoard } from "../edition";
import { marks } from "../marks";
import { screen } from "../play/layout";
import { whole } from "../play/shown";
import { cardRead, objectiveWords, PARTS } from "../sentences";
import { t } from "../words";

const CARD = 46;
const BEGUN = parseBoard("31 56 33~");
const FINISHED = parseBoard("60~ 17 19 9 13~ 11~ 24 2~");
const ASKED: [number, number, number] = [3, 8, 19];

/** A card, and the same card turned. */
export function TwoWays(): VNode {
  return (
    <div class="drawn scene-like">
      {[false, true].map((turned) => {
        const laid = { card: CARD, turned };
        const how = turned ? t("web.rules.turned") : t("web.rules.upright");
        return (
          <figure key={how}>
            <CardPicture laid={laid} pitch={{ w: 62, h: 34 }} label={cardRead(how, laid)} />
            <figcaption>{how}</figcaption>
          </figure>
        );
      })}
    </div>
  );
}

/** The largest pitch that the column of text has room for. */
function pitch(slots: number): { w: number; h: number } {
  const w = Math.min(56, (Math.min(screen.value.w, 720) - 48) / slots);
  return { w, h: Math.min((w * DESK.h) / DESK.w, (w * PHONE.h) / PHONE.w) };
}

/** A sideboard with its two free ends. */
export function Growing(): VNode {
  const size = pitch(9);
  return (
    <div class="drawn wall">
      <Sideboard board={BEGUN} pitch={size} slots={{ left: true, right: true }} />
    </div>
  );
}

/** A finished sideboard with all that scores. */
export function Example(): VNode {
  const size = pitch(8);
  const found = marks(ASKED, formatBoard(FINISHED));
  return (
    <div class="drawn wall">
      <Sideboard
        board={FINISHED}
        pitch={size}
        wide={8}
        marks={found === undefined ? undefined : whole(found, new Set(PARTS))}
        label={t("web.rules.end.2")}
      />
    </div>
  );
}

/** Every form of a pattern on its own small grid. */
export function Forms({ number }: { number: number }): VNode {
  const { forms } = objective(number);
  return (
    <ul class="drawn pattern-forms">
      {forms.map((cells) => {
        const wide = Math.max(...cells.map(([column]) => column)) + 1;
        const high = Math.max(...cells.map(([, height]) => height)) + 1;
        return (
          <li key={cells.join(" ")}>
            <svg
              viewBox={`-1 -1 ${wide * 26 + 2} ${high * 18 + 2}`}
              width={wide * 26}
              aria-hidden="true"
            >
              {Array.from({ length: wide * high }, (_, i) => {
                const [column, height] = [i % wide, Math.floor(i / wide)];
                const on = cells.some(([c, h]) => c === column && h === height);
                return (
                  <rect
                    key={`${column} ${height}`}
                    class={on ? "form-cell on" : "form-cell"}
                    x={column * 26 + 1}
                    y={height * 18 + 1}
                    width={24}
                    height={16}
                    rx={2}
                  />
                );
              })}
            </svg>
          </li>
        );
      })}
    </ul>
  );
}

/** All objectives with their pictures and sentences. */
export function AllObjectives(): VNode {
  return (
    <details class="all-objectives">
      <summary>{t("web.rules.all")}</summary>
      <ul>
        {boot.objectives.map(({ number }) => (
          <li key={number} class="tile">
            <ObjectivePicture number={number} size="small" />
            <p>
              <strong>{t("objective.number", { number })}</strong> {objectiveWords(number)}
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}
