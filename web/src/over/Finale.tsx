import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { marks } from "../marks";
import type { Place } from "../place";
import { ShareButton } from "../share/ShareButton";
import { linkOf, shareText } from "../share/share";
import { Tips } from "../tutorial/Tips";
import { t } from "../words";
import { playAgain, sameDeal } from "./again";
import { Bar, Do, Invitation, LobbyLink } from "./Buttons";
import { beatsOf, countedSoFar, kindsAt } from "./beats";
import { Counters } from "./Counters";
import { useCoach } from "./coach";
import { Deal } from "./Deal";
import { Head } from "./Head";
import { Moments } from "./Moments";
import { Lengths, Others } from "./Others";
import { ResultTable } from "./ResultTable";
import { KINDS, type Part, partsOf, ranking } from "./result";
import { Spoken } from "./Spoken";
import { Stage } from "./Stage";
import { type Scene, useBeats, useWide } from "./scene";
import { headline, partWord } from "./tell";

/** The end of a game of several people: counting beat by beat, then the result. */
export function Finale({ scene, place }: { scene: Scene; place: Place }): VNode {
  const { info, view, result, own, people, names } = scene;
  const parts = partsOf(view.mode);
  const beats = beatsOf(parts);
  const { now, next, skip } = useBeats(info.table, beats.length - 1);
  const [seat, setSeat] = useState(own ?? result.winners[0] ?? 0);
  const [only, setOnly] = useState<Part | null>(null);
  const [why, setWhy] = useState<string | null>(null);
  const [looking, look] = useState(false);
  const [refusal, refuse] = useState<string | null>(null);
  const work = useCoach(info.table, looking);
  const wide = useWide();
  const beat = beats[now] ?? "total";
  const told = beat === "total";
  const shown = told ? only : beat;
  const kinds = told && only === null ? KINDS : kindsAt(only ?? beat);
  const sums = result.players.map((player) => countedSoFar(player, parts, beats, now));
  const total = result.players[result.winners[0] ?? 0]?.total ?? 0;
  const title = told
    ? headline(result.winners, names, own, total)
    : t("web.over.counting", { part: partWord(beat) });
  const others = ranking(result.players)
    .filter((each) => each !== own || own === null)
    .map((each) => `${names[each]} ${result.players[each]?.total}`);

  const where = people.length > 0 ? t("web.over.where") : t("web.over.where.watched");

  function choose(other: number): void {
    setSeat(other);
    setWhy(null);
  }

  return (
    <main
      class={`over-page ${told ? "told" : "beats"}`}
      style={{ "--players": String(result.players.length) }}
    >
      <Head
        title={title}
        {...(told ? { more: others.join(" · ") } : {})}
        filled={7}
        link={place.link.value}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: buttons below do the same */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: buttons below do the same */}
      <div class="over-main" onClick={told ? undefined : next}>
        <Stage
          scene={scene}
          seat={seat}
          kinds={kinds}
          told={told}
          onWhy={(sentence) => told && setWhy(sentence)}
        />
        <Counters
          scene={scene}
          seat={seat}
          counted={now + 1}
          only={shown}
          sum={sums[seat] ?? 0}
          onOnly={told ? setOnly : null}
        />
        {!told && people.length > 0 && <Tips steps={["end"]} />}
        <p class="hidden-text" aria-live="polite">
          {told ? title : spokenBeat(scene, beat, sums)}
        </p>
        {!told && beat === "bonus" && <Lengths scene={scene} />}
        {!told && beat !== "bonus" && !wide && (
          <Others scene={scene} seat={seat} kinds={kinds} sums={sums} told={told} onSeat={next} />
        )}
        {(told || (wide && beat !== "bonus")) && (
          <div class="over-lower">
            {told && looking ? (
              <section class="over-panel" aria-label={where}>
                <h2>{t("web.over.moments")}</h2>
                <Moments table={info.table} seat={own ?? seat} work={work} />
              </section>
            ) : (
              <ResultTable
                scene={scene}
                seat={seat}
                counted={now + 1}
                sums={sums}
                told={told}
                onSeat={told ? choose : next}
              />
            )}
            {told && <Notes scene={scene} seat={seat} why={why} refusal={refusal} />}
          </div>
        )}
      </div>
      {wide && (
        <aside class="over-aside">
          <Others
            scene={scene}
            seat={seat}
            kinds={kinds}
            sums={sums}
            told={told}
            onSeat={told ? choose : next}
          />
        </aside>
      )}
      {told && <Spoken scene={scene} />}
      <Bar told={told} next={next} skip={skip}>
        <Invitation info={info} own={own} />
        <Again scene={scene} onRefused={refuse} />
        <button
          type="button"
          class="button wide"
          aria-pressed={looking}
          onClick={() => look(!looking)}
        >
          {looking ? t("web.over.result") : where}
        </button>
        <ShareButton
          text={shareText({ result, mode: view.mode, seat: own, names, par: null })}
          link={linkOf(info.table)}
        />
        <LobbyLink />
      </Bar>
    </main>
  );
}

/** Play on: a rematch for whoever sat here, the same deal again at a practice table. */
function Again(props: { scene: Scene; onRefused: (sentence: string) => void }): VNode | null {
  const { info, people } = props.scene;
  const [first] = people;
  if (first === undefined) return null;
  if (info.settings.practice !== null)
    return (
      <Do
        main
        words={t("web.over.same_deal")}
        todo={() => sameDeal(info, first.seat)}
        onRefused={props.onRefused}
      />
    );
  return (
    <Do
      main
      words={info.next === null ? t("web.over.rematch") : t("web.over.join_rematch")}
      todo={() => playAgain(info, people)}
      onRefused={props.onRefused}
    />
  );
}

interface NotesProps {
  scene: Scene;
  seat: number;
  why: string | null;
  refusal: string | null;
}

/** What is said below the result: why a drawer counts, other groupings, whether all was fair. */
function Notes({ scene, seat, why, refusal }: NotesProps): VNode {
  const { info, view } = scene;
  const known = marks(view.objectives, view.boards[seat] ?? "");
  return (
    <div class="over-notes">
      {refusal !== null && <p role="alert">{refusal}</p>}
      {why !== null && <p class="over-why">{why}</p>}
      {why === null && known?.handle.another && <p>{t("web.over.another.handle")}</p>}
      {why === null && known?.color.another && (
        <p class={known.handle.another ? "over-other" : ""}>{t("web.over.another.color")}</p>
      )}
      <p class="over-links">
        <a href={`/t/${info.table}/replay/0`}>{t("web.over.replay")}</a>
        <Deal brief table={info.table} practice={info.settings.practice !== null} />
      </p>
    </div>
  );
}

/** What a beat counts, for ears: "Colors: Ana 12, Ben 8". */
function spokenBeat(scene: Scene, beat: Part | "total", sums: number[]): string {
  const told = scene.names.map((name, seat) => `${name} ${sums[seat]}`).join(", ");
  return t("labelled", { name: partWord(beat), text: told });
}
