import type { VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { type Choice, choiceOf, exchange, folded, moveOf } from "../choice";
import type { AdviceInfo, OptionInfo } from "../protocol";
import { optionWords } from "../sentences";
import { language, t } from "../words";
import { Close } from "./icons";
import type { Scene } from "./scene";

/** The moves that the list offers: starts that mirror each other stand there once. */
export function offered(scene: Scene): OptionInfo[] {
  return folded(scene.view.options).filter((option) => option.move !== "swap");
}

/** The moves that are what is chosen; a mirrored start is the same. */
function movesOf(choice: Choice): (string | null)[] {
  return [moveOf(choice), moveOf(exchange(choice))];
}

/** A typed line as a move: `l17~`, `12, 40~`, or the number of an option. */
export function typed(text: string, options: OptionInfo[]): string | null {
  const tidy = text.replace(/\s+/g, "").toUpperCase();
  if (tidy === "SWAP" || tidy === "UNDO") return tidy.toLowerCase();
  const found = options.find((option) => option.move === tidy);
  return found?.move ?? null;
}

function obey(scene: Scene, text: string): boolean {
  const { desk, view } = scene;
  const list = offered(scene);
  const order = typed(text, view.options) ?? list[Number(text) - 1]?.move ?? null;
  if (order === "undo") desk.reopen();
  else if (order === "swap") desk.question.value = "swap";
  else {
    const choice = order === null ? null : choiceOf(order);
    if (choice === null) {
      desk.trouble.value = t("refusal.not_a_move", { count: list.length });
      desk.said.value = desk.trouble.value;
      return false;
    }
    desk.edit(() => choice);
  }
  return true;
}

function Command({ scene }: { scene: Scene }): VNode {
  const field = useRef<HTMLInputElement>(null);
  const example = scene.view.options[0]?.move ?? "undo";
  return (
    <form
      class="command"
      onSubmit={(event) => {
        event.preventDefault();
        const input = field.current;
        if (input === null) return;
        if (input.value.trim() === "") scene.desk.lock();
        else if (obey(scene, input.value)) input.value = "";
      }}
    >
      <label for="command">{t("web.play.command")}</label>
      <input
        id="command"
        ref={field}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-describedby="command-how"
      />
      <button type="submit" class="button small">
        {t("web.play.command.do")}
      </button>
      <small id="command-how">{t("web.play.command.how", { example })}</small>
    </form>
  );
}

const NO_ADVICE: AdviceInfo[] = [];

interface OptionsProps {
  scene: Scene;
  open: boolean;
  close: () => void;
}

/** All options as a plain list, and a line to type them; out of sight until it has the focus. */
export function Options({ scene, open, close }: OptionsProps): VNode | null {
  const { desk, choice, level, place } = scene;
  const advice = level >= 3 ? place.advice.value : NO_ADVICE;
  const list = useMemo(
    () =>
      offered(scene).map((option): [string, string] => {
        const coach = advice.find((each) => each.move === option.move);
        return [option.move, optionWords(option, scene.hand, scene.view.objectives, coach)];
      }),
    [scene.view, advice, language.value],
  );
  if (scene.seat === null) return null;
  const chosen = movesOf(choice);
  return (
    <section class={`options ${open ? "open" : ""}`} id="options" aria-labelledby="options-title">
      <h2 id="options-title">{t("web.play.options")}</h2>
      {open && <Close close={close} quiet />}
      {list.length > 0 && (
        <fieldset>
          <legend class="hidden-text">{t("web.play.options")}</legend>
          {list.map(([move, words]) => (
            <label key={move}>
              <input
                type="radio"
                name="option"
                value={move}
                checked={chosen.includes(move)}
                onChange={() => {
                  const next = choiceOf(move);
                  if (next !== null) desk.edit(() => next);
                }}
              />
              {words}
            </label>
          ))}
        </fieldset>
      )}
      <button
        type="button"
        class="button small"
        onClick={scene.locked ? desk.reopen : desk.lock}
        aria-disabled={!scene.locked && scene.option === undefined}
      >
        {scene.locked ? t("web.play.change") : t("web.play.lock")}
      </button>
      <Command scene={scene} />
    </section>
  );
}
