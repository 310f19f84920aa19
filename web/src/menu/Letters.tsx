import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { DEEDS, type Deed, deedOf, letterIn, lettersOf, written } from "../play/letters";
import { change, settings } from "../settings";
import { t } from "../words";

const NAMES: Record<Deed, string> = {
  turn: "web.play.turn",
  exchange: "web.play.exchange",
  swap: "web.play.swap",
  others: "web.play.table",
  objectives: "web.play.objectives",
  preview: "web.menu.keys.preview",
  board: "web.play.board",
  options: "web.play.options",
};

/** Which letter does what: each can be another one, but none two things. */
export function Letters(): VNode {
  const [refused, refuse] = useState<{ deed: Deed; why: string } | null>(null);
  const letters = lettersOf(settings.value.letters);

  /** Take what was typed into the field of a deed; the field then shows the letter that counts. */
  function choose(deed: Deed, field: HTMLInputElement): void {
    // A field is selected when it is entered; where it is not, the new letter stands beside the old.
    const typed = field.value.replace(written(letters[deed]), "") || field.value;
    if (typed.trim() === "") return;
    const letter = letterIn(typed);
    const taken = letter === null ? undefined : deedOf(letter, letters);
    if (letter === null) refuse({ deed, why: t("web.menu.keys.one") });
    else if (taken !== undefined && taken !== deed) {
      const places = { letter: written(letter), action: t(NAMES[taken]) };
      refuse({ deed, why: t("web.menu.keys.taken", places) });
    } else {
      refuse(null);
      change({ letters: { ...settings.value.letters, [deed]: letter } });
    }
    show(deed, field);
    field.select();
  }

  function show(deed: Deed, field: HTMLInputElement): void {
    field.value = written(lettersOf(settings.value.letters)[deed]);
  }

  return (
    <details>
      <summary>{t("web.menu.keys.letters")}</summary>
      <ul class="letters">
        {DEEDS.map((deed) => (
          <li key={deed}>
            <label>
              <span>{t(NAMES[deed])}</span>
              <input
                value={written(letters[deed])}
                size={2}
                autocomplete="off"
                autocapitalize="off"
                spellcheck={false}
                onFocus={(event) => event.currentTarget.select()}
                onInput={(event) => choose(deed, event.currentTarget)}
                onBlur={(event) => show(deed, event.currentTarget)}
              />
            </label>
            {refused?.deed === deed && <p role="alert">{refused.why}</p>}
          </li>
        ))}
      </ul>
      <button
        type="button"
        class="button"
        onClick={() => {
          refuse(null);
          change({ letters: {} });
        }}
      >
        {t("web.menu.keys.usual")}
      </button>
    </details>
  );
}
