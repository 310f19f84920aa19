import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../api";
import { practise } from "../over/again";
import { Do } from "../over/Buttons";
import { Deal } from "../over/Deal";
import { Head } from "../over/Head";
import { namesAt, useLoaded } from "../over/scene";
import type { Replay, TableInfo } from "../protocol";
import { roundWords } from "../sentences";
import { sittingsAt } from "../sitting";
import { language, t } from "../words";
import { Chart } from "./Chart";
import { RoundView } from "./RoundView";
import "../over/styles";
import "./replay.css";

const SWIPE = 50;

interface ReplayProps {
  table: string;
  round: number;
}

/** A finished game, round by round, all hands open. */
export function ReplayPage({ table, round }: ReplayProps): VNode {
  const [replay] = useLoaded<Replay>(`/api/tables/${table}/replay`);
  const [info] = useLoaded<TableInfo>(`/api/tables/${table}`);
  useEffect(() => {
    document.title = `${t("web.replay.title")} · ${t("term.game")}`;
  }, [language.value]);
  const refused = [replay, info].find((each) => each !== null && "refused" in each);
  if (refused != null && "refused" in refused)
    return (
      <main class="over-page plain">
        <Head title={t("web.replay.title")} filled={0} />
        <div class="page">
          <p role="alert">{refused.refused}</p>
          <p>
            <a class="button" href={`/t/${table}`}>
              {t("web.replay.table")}
            </a>
          </p>
        </div>
      </main>
    );
  if (replay === null || info === null || !("found" in replay) || !("found" in info))
    return <div class="loading" aria-busy="true" />;
  return <Rounds info={info.found} replay={replay.found} first={round} />;
}

interface RoundsProps {
  info: TableInfo;
  replay: Replay;
  first: number;
}

function Rounds({ info, replay, first }: RoundsProps): VNode {
  const last = replay.rounds.length - 1;
  const sittings = sittingsAt(info.table);
  const own = sittings.length === 1 ? (sittings[0]?.seat ?? null) : null;
  const [round, setRound] = useState(Math.min(Math.max(Math.trunc(first) || 0, 0), last));
  const [seat, setSeat] = useState(own ?? 0);
  const [refusal, refuse] = useState<string | null>(null);
  const [grip, setGrip] = useState<{ x: number; y: number } | null>(null);
  const names = namesAt(info, own);

  function show(wanted: number): void {
    const next = Math.min(Math.max(wanted, 0), last);
    setRound(next);
    history.replaceState(null, "", `/t/${info.table}/replay/${next}`);
  }

  useEffect(() => {
    function press(event: KeyboardEvent): void {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (document.querySelector("dialog[open]") !== null) return;
      const to = { ArrowLeft: round - 1, ArrowRight: round + 1, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      show(to);
    }
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [round, last]);

  const shown = replay.rounds[round];
  const title = roundWords(round);
  return (
    <main class="over-page replay">
      <Head title={t("web.replay.of", { round: title })} filled={round + 1} />
      <div
        class="replay-main"
        onPointerDown={(event) => setGrip({ x: event.clientX, y: event.clientY })}
        onPointerUp={(event) => {
          if (grip === null || event.pointerType === "mouse") return;
          const [dx, dy] = [event.clientX - grip.x, event.clientY - grip.y];
          if (Math.abs(dx) > SWIPE && Math.abs(dx) > 2 * Math.abs(dy)) show(round - Math.sign(dx));
        }}
      >
        {shown === undefined ? (
          <p class="over-note">{t("web.replay.nothing")}</p>
        ) : (
          <RoundView
            replay={replay}
            round={round}
            seat={seat}
            own={own}
            names={names}
            onSeat={setSeat}
          />
        )}
      </div>
      <nav class="replay-steps" aria-label={t("web.replay.rounds")}>
        <button type="button" class="button" disabled={round <= 0} onClick={() => show(round - 1)}>
          {t("web.replay.back")}
        </button>
        <Chart replay={replay} round={round} seat={seat} names={names} onRound={show} />
        <button
          type="button"
          class="button"
          disabled={round >= last}
          onClick={() => show(round + 1)}
        >
          {t("web.over.next")}
        </button>
      </nav>
      <footer class="replay-foot">
        {refusal !== null && <p role="alert">{refusal}</p>}
        <p class="over-links">
          <Deal table={info.table} practice={info.settings.practice !== null} />
        </p>
        <div class="replay-buttons">
          <Do
            words={t("web.replay.play_on")}
            todo={async () => {
              const record = await get<string>(`/api/tables/${info.table}/record`);
              await practise(record, info, seat, round);
            }}
            onRefused={refuse}
          />
          <a class="button" href={`/api/tables/${info.table}/record`} download>
            {t("web.replay.record")}
          </a>
          {info.settings.practice === null && (
            <a class="button" href={`/api/tables/${info.table}/proof`} download>
              {t("web.replay.proof")}
            </a>
          )}
          <a class="button" href={`/t/${info.table}`}>
            {t("web.replay.table")}
          </a>
        </div>
        <p class="over-note">{t("web.replay.play_on.how", { name: names[seat] ?? "" })}</p>
      </footer>
    </main>
  );
}
