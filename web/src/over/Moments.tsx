import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { choiceOf, parseMove, withChoice } from "../choice";
import { drawers, parseBoard } from "../edition";
import type { Replay } from "../protocol";
import { endWords, laidWords } from "../sentences";
import { listed, number, t } from "../words";
import { type Moment, momentsOf, type Review, type Work } from "./coach";
import { FreshBoard } from "./FreshBoard";
import { useLoaded } from "./scene";

const TENTH = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
const SMALL = { w: 15, h: 10.4 };

/** A move by its cards: "52 turned, left", "swap both cards". */
export function moveShort(text: string): string {
  const move = parseMove(text);
  if (move === null) return text;
  if (move.kind === "swap") return t("web.over.swap");
  if (move.kind === "place") return `${laidWords(move.laid)}, ${endWords(move.end)}`;
  return listed([move.left, move.right].map(laidWords));
}

interface MomentsProps {
  table: string;
  seat: number;
  work: Work<Review>;
}

/** The three decisions that cost most, each with the better one and the reason. */
export function Moments({ table, seat, work }: MomentsProps): VNode {
  const [open, setOpen] = useState<number | null>(null);
  const [replay] = useLoaded<Replay>("found" in work ? `/api/tables/${table}/replay` : null);
  if ("refused" in work) return <p class="over-note">{work.refused}</p>;
  if ("progress" in work) return <Progress share={work.progress} />;
  const moments = momentsOf(work.found, seat);
  const lesson = work.found.players.find((each) => each.seat === seat);
  if (moments.length === 0 || lesson === undefined)
    return <p class="over-note">{t("web.over.spotless")}</p>;
  const rounds = replay !== null && "found" in replay ? replay.found.rounds : [];
  return (
    <>
      <ol class="over-moments">
        {moments.map((moment, place) => (
          <li key={`${moment.round} ${moment.move}`}>
            <button
              type="button"
              class="over-moment"
              aria-expanded={open === place}
              onClick={() => setOpen(open === place ? null : place)}
            >
              <b class="cost">−{number(moment.loss, TENTH)}</b>
              <Tried move={moment.move} />
              <Arrow />
              <Tried move={moment.best} />
              <span class="told">
                <b>{momentTitle(moment)}</b>
                <span>
                  {t("web.over.better")} <b>{moveShort(moment.best)}</b>
                </span>
                <span class="reason">
                  {t("web.over.expected", {
                    best: number(moment.better, TENTH),
                    played: number(moment.played, TENTH),
                  })}
                </span>
              </span>
            </button>
            {open === place && (
              <div class="over-compare">
                <p>{moment.sentence}</p>
                <Compared
                  moment={moment}
                  before={rounds[moment.round - 1]?.boards[seat] ?? ""}
                  ready={moment.round === 0 || rounds.length > 0}
                />
              </div>
            )}
          </li>
        ))}
      </ol>
      <p class="over-note">
        {t("web.over.accuracy", {
          percent: number(lesson.accuracy, { maximumFractionDigits: 0 }),
          loss: number(lesson.loss, TENTH),
        })}
      </p>
    </>
  );
}

function momentTitle(moment: Moment): string {
  const move = moveShort(moment.move);
  return moment.round === 0
    ? t("web.over.moment.start", { move })
    : t("web.over.moment", { round: moment.round, move });
}

/** The board with what was played, and with what was better. */
function Compared(props: { moment: Moment; before: string; ready: boolean }): VNode | null {
  if (!props.ready) return null;
  const { moment, before } = props;
  const sides = [
    { move: moment.move, words: t("web.over.compare.played") },
    { move: moment.best, words: t("web.over.compare.better") },
  ];
  return (
    <div class="over-sides">
      {sides.map(({ move, words }) => {
        const choice = choiceOf(move);
        const { board, fresh } =
          choice === null
            ? { board: parseBoard(before), fresh: [] }
            : withChoice(parseBoard(before), choice);
        return (
          <figure key={words}>
            <figcaption>
              {words}: <b>{moveShort(move)}</b>
            </figcaption>
            <FreshBoard board={board} pitch={SMALL} fresh={fresh} label={moveShort(move)} />
          </figure>
        );
      })}
    </div>
  );
}

function Arrow(): VNode {
  return (
    <svg class="over-arrow" viewBox="0 0 14 10" width="14" height="10" aria-hidden="true">
      <path d="M1 5h11M8 1l4 4l-4 4" />
    </svg>
  );
}

/** A move as a sign: the card at its end of a blank neighbour; or the swap card. */
function Tried({ move }: { move: string }): VNode {
  const parsed = parseMove(move);
  const laid =
    parsed?.kind === "place"
      ? parsed.end === "left"
        ? [parsed.laid, null]
        : [null, parsed.laid]
      : parsed?.kind === "start"
        ? [parsed.left, parsed.right]
        : [];
  return (
    <svg class="over-tried" viewBox="0 0 36 34" width="36" height="34" aria-hidden="true">
      {laid.length === 0 && (
        <>
          <rect class="blank" x="3" y="2" width="16" height="28" rx="2" />
          <rect class="swap" x="14" y="5" width="18" height="28" rx="2" />
          <path class="plus" d="M23 14v10M18 19h10" />
        </>
      )}
      {laid.map((card, column) =>
        card === null
          ? [0, 1, 2, 3, 4].map((height) => (
              <rect
                key={`blank ${height}`}
                class="blank"
                x={column * 18 + 1}
                y={height * 6.6 + 0.7}
                width="16"
                height="5.6"
                rx="1"
              />
            ))
          : drawers(card).map((drawer, height) => (
              <rect
                key={`${card.card} ${drawer.color}`}
                class={`paint-${drawer.color}`}
                x={column * 18 + 1}
                y={height * 6.6 + 0.7}
                width="16"
                height="5.6"
                rx="1"
              />
            )),
      )}
    </svg>
  );
}

/** How far a calculation is. */
export function Progress({ share }: { share: number }): VNode {
  return (
    <p class="over-progress">
      <label>
        {t("web.over.thinking")}
        <progress max={1} value={share} />
      </label>
    </p>
  );
}
