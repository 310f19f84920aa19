import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { CardPicture } from "../board/CardPicture";
import { ObjectivePicture } from "../board/ObjectivePicture";
import { Sideboard } from "../board/Sideboard";
import { type Choice, nothing, take, turn } from "../choice";
import { sentenceOf } from "../menu/trouble";
import { layoutOf, screen } from "../play/layout";
import { handCardRead, letter, objectiveWords } from "../sentences";
import { Tips } from "../tutorial/Tips";
import { t } from "../words";
import type { Practice } from "./practice";
import { Lamp } from "./Showroom";
import { playPractice } from "./start";

interface PracticeProps {
  deal: Practice;
  onTrouble: (sentence: string) => void;
}

/** On lower screens the furniture gives way to the buttons below it. */
const SHORT = 620;

/** A table that is dealt before anything was asked for; it comes to be with the first touch. */
export function PracticeTable({ deal, onTrouble }: PracticeProps): VNode {
  const [choice, setChoice] = useState<Choice>(nothing(0, "right"));
  const newest = useRef(choice);
  const begun = useRef(false);
  const { w, h } = screen.value;
  const layout = layoutOf(w, h, deal.hand.length);
  const pitch = h < SHORT ? { ...layout.board, h: 21 } : layout.board;
  const laid = choice.kind === "start" ? choice.laid : [];

  function touch(edit: (choice: Choice) => Choice): void {
    newest.current = edit(choice);
    setChoice(newest.current);
    if (begun.current) return;
    begun.current = true;
    onTrouble("");
    playPractice(() => newest.current).catch((error: unknown) => {
      begun.current = false;
      onTrouble(sentenceOf(error));
    });
  }

  return (
    <section class="practice" aria-label={t("web.lobby.dealt")}>
      <ul class="objective-strip" aria-label={t("web.lobby.objectives")}>
        {deal.objectives.map((number, i) => (
          <li key={number} class="tile" data-tip={i === 2 ? "objectives" : undefined}>
            <ObjectivePicture number={number} size="small" label={objectiveWords(number)} />
          </li>
        ))}
      </ul>
      <div class="stage">
        <Lamp />
        <Sideboard
          board={laid}
          pitch={pitch}
          ghost={laid.map((_, column) => column)}
          onCard={(column) => touch((now) => turn(now, laid[column]?.card))}
        />
      </div>
      <ul class="practice-hand">
        {deal.hand.map((card, place) => {
          const here = laid.find((each) => each.card === card);
          const shown = here ?? { card, turned: false };
          const read = handCardRead(place, "", shown);
          return (
            <li key={card} data-tip={place === 2 ? "hand" : undefined}>
              <button
                type="button"
                class={here === undefined ? "hand-card" : "hand-card chosen"}
                data-card={letter(place)}
                aria-pressed={here !== undefined}
                aria-label={t("web.lobby.take", { card: read })}
                onClick={() => touch((now) => take(now, card))}
              >
                <CardPicture laid={shown} pitch={layout.hand} kind="hand" />
              </button>
            </li>
          );
        })}
      </ul>
      <Tips steps={["objectives", "hand"]} />
    </section>
  );
}
