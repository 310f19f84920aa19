import type { VNode } from "preact";
import { CardPicture } from "../board/CardPicture";
import { fitPitch, type Pitch } from "../board/geometry";
import { MiniBoard } from "../board/MiniBoard";
import { parseBoard } from "../edition";
import { marks } from "../marks";
import { FreshBoard } from "../over/FreshBoard";
import { useSize } from "../over/scene";
import type { Replay } from "../protocol";
import { partsWords } from "../sentences";
import { t } from "../words";
import { courseWords, freshColumns, movesOf } from "./course";

const LARGEST: Pitch = { w: 64, h: 44 };
const CARD: Pitch = { w: 20, h: 10 };
const LEAST = 100;

interface RoundProps {
  replay: Replay;
  round: number;
  /** Whose board is large. */
  seat: number;
  own: number | null;
  names: string[];
  onSeat: (seat: number) => void;
}

/** One round: a board large, what everybody held and did. */
export function RoundView({ replay, round, seat, own, names, onSeat }: RoundProps): VNode {
  const shown = replay.rounds[round];
  const [ref, size] = useSize<HTMLDivElement>();
  if (shown === undefined) return <div />;
  const pitch = fitPitch(size.w, size.h - 12, LARGEST);
  const text = shown.boards[seat] ?? "";
  const known = marks(replay.objectives, text);
  const found = known && {
    color: known.color.combinations.map((cells, i) => ({ cells, number: i + 1 })),
    handle: known.handle.combinations.map((cells) => ({ cells })),
    row: known.row.runs.map((cells) => ({ cells })),
  };
  const points = shown.scores[seat];
  return (
    <>
      <div class="over-stage" ref={ref}>
        {size.w > LEAST && (
          <div class="over-board">
            <FreshBoard
              board={parseBoard(text)}
              pitch={pitch}
              marks={found}
              fresh={freshColumns(shown, seat)}
              label={t("web.play.board.of", { name: names[seat] ?? "" })}
            />
          </div>
        )}
      </div>
      {points !== undefined && (
        <p class="replay-points">
          <b>{names[seat]}</b> {partsWords(points)} · <b>{points.total}</b>
        </p>
      )}
      <ul class="replay-seats">
        {shown.boards.map((_, each) => (
          <li key={names[each]} class={each === seat ? "large" : ""}>
            <button type="button" aria-pressed={each === seat} onClick={() => onSeat(each)}>
              <span class="name">{names[each]}</span>
              <b>{shown.scores[each]?.total}</b>
            </button>
            <Hand cards={shown.hands[each] ?? []} moves={movesOf(shown, each)} />
            <MiniBoard board={parseBoard(shown.boards[each] ?? "")} width={74} height={36} />
            <p>{courseWords(replay, round, each, each === own ? null : (names[each] ?? ""))}</p>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The hands of a seat in a round; after a swap there are two. What was laid stands out. */
function Hand({ cards, moves }: { cards: number[][]; moves: string[] }): VNode {
  const laid = moves.flatMap((move) => (move === "swap" ? [] : (move.match(/\d+/g) ?? [])));
  return (
    <div class="replay-hand">
      {cards.map((hand, place) => (
        <span key={hand.join(" ")} class={place < cards.length - 1 ? "thrown" : ""}>
          {hand.map((card) => (
            <span key={card} class={laid.includes(String(card)) ? "card laid" : "card"}>
              <CardPicture laid={{ card, turned: false }} pitch={CARD} />
              <small>{card}</small>
            </span>
          ))}
        </span>
      ))}
    </div>
  );
}
