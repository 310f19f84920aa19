import type { ComponentChildren, VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Head } from "../lobby/Head";
import { t } from "../words";
import { AllObjectives, Example, Forms, Growing, TwoWays } from "./Examples";
import { BonusTable, SoloBonus, Titles } from "./figures";
import "./rules.css";

/** The sections in order, with the number of their paragraphs. */
const SECTIONS = {
  goal: 2,
  material: 3,
  start: 3,
  round: 3,
  swap: 3,
  combinations: 4,
  rows: 2,
  bonus: 2,
  end: 2,
  variant: 2,
  solo: 4,
  online: 3,
};
type Name = keyof typeof SECTIONS;
const NAMES = Object.keys(SECTIONS) as Name[];
/** The objective whose forms are drawn. */
const SHOWN = 2;

/** What is drawn behind a paragraph, by section and number. */
const DRAWN: Record<string, () => VNode> = {
  "material.2": () => <TwoWays />,
  "round.1": () => <Growing />,
  "combinations.2": () => <Forms number={SHOWN} />,
  "combinations.4": () => <AllObjectives />,
  "bonus.1": () => <BonusTable />,
  "end.2": () => <Example />,
  "solo.2": () => <SoloBonus />,
  "solo.3": () => <Titles />,
};

/** The rules of the game, in our own words, with examples drawn like the game itself. */
export function Rules(): VNode {
  useEffect(() => {
    document.title = `${t("web.menu.rules")} · ${t("term.game")}`;
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);
  return (
    <div class="rules">
      <Head title={t("web.menu.rules")} />
      <main>
        <nav class="contents" aria-label={t("web.rules.contents")}>
          <ol>
            {NAMES.map((name) => (
              <li key={name}>
                <a href={`#${name}`}>{t(`web.rules.${name}`)}</a>
              </li>
            ))}
          </ol>
        </nav>
        <div class="rules-text">
          {NAMES.map((name) => (
            <Section key={name} name={name}>
              {Array.from({ length: SECTIONS[name] }, (_, i) => `${name}.${i + 1}`).map((part) => (
                <Paragraph key={part} part={part} />
              ))}
            </Section>
          ))}
        </div>
      </main>
    </div>
  );
}

function Section({ name, children }: { name: Name; children: ComponentChildren }): VNode {
  return (
    <section id={name} aria-labelledby={`${name}-title`}>
      <h2 id={`${name}-title`}>{t(`web.rules.${name}`)}</h2>
      {children}
    </section>
  );
}

function Paragraph({ part }: { part: string }): VNode {
  const drawn = DRAWN[part];
  return (
    <>
      <p>{t(`web.rules.${part}`, { number: SHOWN })}</p>
      {drawn?.()}
    </>
  );
}
