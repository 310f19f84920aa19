import type { VNode } from "preact";
import type { Part } from "../sentences";
import { t } from "../words";
import type { Scene } from "./scene";

/** What lies over the two upper strips: one thing at a time. */
export type Over =
  | { what: "objective"; part: Part }
  | { what: "board"; seat: number }
  | { what: "phrases" | "keys" | "log" | "options" }
  | null;

/** What the menu offers during a game. */
export function waysOf(scene: Scene, show: (over: Over) => void): VNode[] {
  if (scene.seat === null) return [];
  const way = (label: string, act: () => void): VNode => (
    <button
      key={label}
      type="button"
      class="menu-way"
      onClick={(event) => {
        event.currentTarget.closest("dialog")?.close();
        act();
      }}
    >
      {label}
    </button>
  );
  const ways: VNode[] = [];
  if (scene.layout.kind !== "desk") ways.push(way(t("web.play.log"), () => show({ what: "log" })));
  ways.push(way(t("web.play.options"), () => show({ what: "options" })));
  if (scene.table.settings.phrases && scene.view.boards.length > 1)
    ways.push(way(t("web.play.phrases"), () => show({ what: "phrases" })));
  ways.push(way(t("web.play.keys"), () => show({ what: "keys" })));
  const ask = (): void => {
    scene.desk.question.value = "leave";
  };
  if (!scene.replaced) ways.push(way(t("web.play.leave"), ask));
  return ways;
}
