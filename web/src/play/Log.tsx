import type { VNode } from "preact";
import { CardPicture } from "../board/CardPicture";
import { t } from "../words";
import type { Scene } from "./scene";
import { passedOn, storyOf } from "./story";

/** What happened so far, newest first. */
export function Log({ scene }: { scene: Scene }): VNode {
  const lines = storyOf(scene.view, scene.table.seats, scene.desk.gains);
  return (
    <section class="log" aria-labelledby="log-title">
      <h2 id="log-title" class="title">
        {t("web.play.log")}
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
      <div class="lines" role="log" aria-live="off" aria-labelledby="log-title" tabIndex={0}>
        <ol>
          {lines.map((line, i) => (
            // Each place keeps its element: the words move on, the boxes do not.
            <li key={i} class={line.head ? "head" : ""}>
              {line.words}
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

/** The cards that one saw and passed on. */
export function Memory({ scene }: { scene: Scene }): VNode | null {
  if (scene.seat === null) return null;
  const cards = passedOn(scene.view);
  return (
    <section class="memory" aria-labelledby="memory-title">
      <h2 id="memory-title" class="title">
        {t("web.play.passed")}
      </h2>
      {cards.length === 0 && <p class="none">{t("web.play.passed.none")}</p>}
      <ul>
        {cards.map((card) => (
          <li key={card}>
            <CardPicture laid={{ card, turned: false }} pitch={{ w: 21, h: 8.2 }} kind="board" />
            <small>{card}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}
