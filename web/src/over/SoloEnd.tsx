import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { objective } from "../edition";
import { marks } from "../marks";
import type { Place } from "../place";
import { keep, recall } from "../settings";
import { ShareButton } from "../share/ShareButton";
import { linkOf, shareText } from "../share/share";
import { signed, t } from "../words";
import { newDeal, sameDeal } from "./again";
import { Bar, Do } from "./Buttons";
import { beatsOf, countedSoFar, kindsAt } from "./beats";
import { Counters } from "./Counters";
import { useCoach, useWork, type Work } from "./coach";
import { Deal } from "./Deal";
import { Head } from "./Head";
import { Moments } from "./Moments";
import { KINDS, type Part, partsOf } from "./result";
import { Scale } from "./Scale";
import { Spoken } from "./Spoken";
import { Stage } from "./Stage";
import { type Scene, useBeats } from "./scene";
import { ladder, nextTier, tierOf } from "./solo";
import { partWord } from "./tell";

const BEST = "sideboards.best.solo";
/** On lower screens the moments are opened by a tap. */
const LOW = 600;

/** The best solo result of this device before this table; this one is kept, too. */
function useBest(table: string, total: number, counts: boolean): number | null {
  const [before] = useState(() => recall<{ table: string; total: number }>(BEST));
  useEffect(() => {
    if (counts && total > (before?.total ?? -1)) keep(BEST, { table, total });
  }, [table, total, counts]);
  return before === null || before.table === table ? null : before.total;
}

/** The end of a solo game: where the result lies, what was possible, and the costliest moments. */
export function SoloEnd({ scene, place }: { scene: Scene; place: Place }): VNode {
  const { info, view, result, own, names } = scene;
  const parts = partsOf(view.mode);
  const beats = beatsOf(parts);
  const { now, next, skip } = useBeats(info.table, beats.length - 1);
  const [only, setOnly] = useState<Part | null>(null);
  const [why, setWhy] = useState<string | null>(null);
  const [refusal, refuse] = useState<string | null>(null);
  const beat = beats[now] ?? "total";
  const told = beat === "total";
  const par = useWork<{ par: number }>(told ? `/api/tables/${info.table}/par` : null);
  const found = "found" in par ? par.found.par : null;
  const work = useCoach(info.table, told);
  const player = result.players[0];
  const total = player?.total ?? 0;
  const practice = info.settings.practice !== null;
  const best = useBest(info.table, total, scene.people.length > 0 && !practice);
  const kinds = told && only === null ? KINDS : kindsAt(only ?? beat);
  const sum = player === undefined ? 0 : countedSoFar(player, parts, beats, now);
  const known = marks(view.objectives, view.boards[0] ?? "");
  return (
    <main class={`over-page solo ${told ? "told" : "beats"}`}>
      <Head
        title={told ? t("web.over.solo") : t("web.over.counting", { part: partWord(beat) })}
        filled={7}
        link={place.link.value}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: buttons below do the same */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: buttons below do the same */}
      <div class="over-main" onClick={told ? undefined : next}>
        <Stage
          scene={scene}
          seat={0}
          kinds={kinds}
          told={told}
          onWhy={(sentence) => told && setWhy(sentence)}
        />
        {told && <Standing total={total} par={par} best={best} />}
        {told && <Scale total={total} par={found} best={best} />}
        <Counters
          scene={scene}
          seat={0}
          counted={now + 1}
          only={told ? only : beat}
          sum={sum}
          onOnly={told ? setOnly : null}
        />
        <p class="hidden-text" aria-live="polite">
          {told ? "" : t("labelled", { name: partWord(beat), text: String(sum) })}
        </p>
        {told && player !== undefined && (
          <Ladder length={player.row.length} bonus={player.bonus} row={view.objectives[2]} />
        )}
        {told && (
          <div class="over-lower">
            <div class="over-notes">
              {refusal !== null && <p role="alert">{refusal}</p>}
              {why !== null && <p class="over-why">{why}</p>}
              {why === null && known?.color.another && <p>{t("web.over.another.color")}</p>}
              {why === null && known?.handle.another && <p>{t("web.over.another.handle")}</p>}
            </div>
            <details class="over-panel" open={innerHeight > LOW}>
              <summary>{t("web.over.moments")}</summary>
              <Moments table={info.table} seat={0} work={work} />
            </details>
            <p class="over-links">
              <a href={`/t/${info.table}/replay/0`}>{t("web.over.replay")}</a>
              <Deal brief table={info.table} practice={practice} />
            </p>
          </div>
        )}
      </div>
      {told && <Spoken scene={scene} />}
      <Bar told={told} next={next} skip={skip}>
        <Do
          main
          words={t("web.over.same_deal")}
          todo={() => sameDeal(info, 0)}
          onRefused={refuse}
        />
        <Do words={t("web.over.new_deal")} todo={() => newDeal(info)} onRefused={refuse} />
        <ShareButton
          text={shareText({ result, mode: view.mode, seat: own ?? 0, names, par: found })}
          link={linkOf(info.table)}
        />
      </Bar>
    </main>
  );
}

interface StandingProps {
  total: number;
  par: Work<{ par: number }>;
  best: number | null;
}

/** The points, how they stand to par, the title, and what the next one takes. */
function Standing({ total, par, best }: StandingProps): VNode {
  const next = nextTier(total);
  const record = best !== null && total > best;
  return (
    <div class="over-standing">
      <p>
        <b class="points">{total}</b> <span class="par">{parWords(par)}</span>
      </p>
      <p class="title">
        <strong>{t(`title.${tierOf(total)}`)}</strong>
        <span>
          {next === null
            ? t("web.over.top")
            : t("web.over.next_tier", { count: next.missing, title: t(`title.${next.tier}`) })}
        </span>
        {best !== null && (
          <span>{record ? t("web.over.best.new", { best }) : t("web.over.best", { best })}</span>
        )}
      </p>
    </div>
  );
}

function parWords(par: Work<{ par: number }>): string {
  if ("found" in par) return t("web.over.par", { par: par.found.par });
  if ("refused" in par) return par.code === "not_offered" ? t("web.over.par.none") : par.refused;
  return t("web.over.par.asked", { percent: Math.round(100 * par.progress) });
}

/** The steps of the row bonus; the one that was reached stands out. */
function Ladder(props: { length: number; bonus: number; row: number }): VNode {
  const steps = ladder(objective(props.row), props.length);
  return (
    <div class="over-ladder">
      <span>
        {t("web.over.ladder", { length: props.length })} <b class="reward">{signed(props.bonus)}</b>
      </span>
      <ul>
        {steps.map((step) => (
          <li key={step.length} class={step.reached ? "reached" : ""}>
            <b>{step.length}</b> {signed(step.bonus)}
            {step.reached && <span class="hidden-text"> {t("web.over.ladder.reached")}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
