import type { VNode } from "preact";
import { fitPitch } from "../board/geometry";
import { MiniBoard } from "../board/MiniBoard";
import { Sideboard } from "../board/Sideboard";
import { parseBoard } from "../edition";
import { type SeatState, seatState, stateWords, sumWords } from "../sentences";
import { t } from "../words";
import { BoardTable } from "./BoardTable";
import { Close, Icon } from "./icons";
import { lookAway, press, rest } from "./inspect";
import { isDense, screen, seatRoom, sideWidth } from "./layout";
import type { Scene } from "./scene";

/** The seats of the others: the left neighbour first, the right neighbour last. */
export function othersOf(scene: Scene): number[] {
  const seats = scene.view.boards.length;
  const first = scene.seat ?? -1;
  const count = scene.seat === null ? seats : seats - 1;
  return Array.from({ length: count }, (_, i) => (first + 1 + i) % seats);
}

function stateOf(scene: Scene, seat: number): SeatState {
  const here = scene.table.seats[seat];
  const sealed = scene.view.public.sealed[seat] === true;
  return here === undefined ? "thinking" : seatState(here, sealed);
}

function State({ state, words }: { state: SeatState; words: boolean }): VNode {
  const icon = state === "locked" ? "lock" : state === "away" ? "away" : "dots";
  return (
    <span class={`state ${state}`}>
      {state === "bot" && !words ? (
        <small>{t("web.say.state.bot")}</small>
      ) : (
        <Icon name={icon} size={14} />
      )}
      <span class={words ? "" : "hidden-text"}>{stateWords(state)}</span>
    </span>
  );
}

/** Who gets and gives cards: an arrow, and words where there is room; empty in the last round. */
function Ways({ scene, seat, words }: { scene: Scene; seat: number; words: boolean }): VNode {
  const gets = scene.receiver === seat;
  const gives = scene.giver === seat;
  const count = scene.view.mode === "variant" ? 2 : 1;
  const hidden = words ? "" : "hidden-text";
  return (
    <span class="ways">
      {gets && (
        <span>
          <Icon name="left" size={13} />
          <span class={hidden}> {t("web.play.gets", { count })}</span>
        </span>
      )}
      {gives && (
        <span class="gives">
          <span class={hidden}>{t("web.play.gives", { count })} </span>
          <Icon name="left" size={13} />
        </span>
      )}
    </span>
  );
}

function Sum({ scene, seat }: { scene: Scene; seat: number }): VNode | null {
  const points = scene.level === 0 ? undefined : scene.view.public.scores?.[seat];
  if (points === undefined) return null;
  const { sum, total } = sumWords(points);
  return (
    <span class="sum">
      {sum} = <b>{total}</b>
    </span>
  );
}

interface OpponentsProps {
  scene: Scene;
  open: number | null;
  show: (seat: number | null) => void;
  inert: boolean;
}

/** The others' boards in seating order. */
export function Opponents({ scene, open, show, inert }: OpponentsProps): VNode {
  const { layout, view } = scene;
  const desk = layout.kind === "desk";
  const others = othersOf(scene);
  const room = seatRoom(layout.kind, screen.value.w, others.length);
  const name = (seat: number): VNode | string => {
    const brief = scene.brief(seat, room.letters);
    const whole = scene.name(seat);
    if (brief === whole) return whole;
    return (
      <>
        <span aria-hidden="true">{brief}</span>
        <span class="hidden-text">{whole}</span>
      </>
    );
  };
  const count = view.mode === "variant" ? 2 : 1;
  const ways = [t("web.play.gets", { count }), t("web.play.gives", { count })];
  const words = ways.every((each) => each.length <= room.label);
  const dense = desk && isDense(others.length, screen.value.h);
  const mini = dense ? { w: 64, h: 42 } : layout.mini;
  const seats = view.boards.length;
  const isNeighbor = (seat: number): boolean =>
    scene.seat !== null && [1, seats - 1].includes((seat - scene.seat + seats) % seats);
  return (
    <section
      class={`table ${others.length > 3 ? "many" : ""} ${dense ? "dense" : ""}`}
      id="table"
      tabIndex={-1}
      inert={inert}
      aria-labelledby="table-title"
    >
      <h2 id="table-title" class={desk ? "title" : "hidden-text"}>
        {t("web.play.table")}
      </h2>
      {others.length === 0 && <p class="alone">{t("web.play.solo")}</p>}
      <ul>
        {others.map((seat) => (
          <li key={seat} class={isNeighbor(seat) ? "neighbor" : ""}>
            <button
              type="button"
              class="other"
              aria-expanded={open === seat}
              onPointerDown={(event) => press(event, { what: "board", seat })}
              onPointerEnter={(event) => open !== seat && rest(event, { what: "board", seat })}
              onPointerLeave={(event) => event.pointerType === "mouse" && lookAway()}
              onClick={() => show(open === seat ? null : seat)}
            >
              <span class="who">
                <b>{name(seat)}</b>
                {(!desk || dense) && <State state={stateOf(scene, seat)} words={false} />}
                {view.public.swaps[seat] === false && view.mode !== "variant" && (
                  <span class={desk ? "used" : "hidden-text"}>
                    <Icon name="swap" size={14} />
                    <span class="hidden-text">{t("web.say.swap_used")}</span>
                  </span>
                )}
              </span>
              <MiniBoard
                board={parseBoard(view.boards[seat] ?? "")}
                width={mini.w}
                height={mini.h}
              />
              {desk && !dense && <State state={stateOf(scene, seat)} words />}
              {isNeighbor(seat) && <Ways scene={scene} seat={seat} words={words} />}
              {desk && <Sum scene={scene} seat={seat} />}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Another's board, large enough to compare, over the strips above one's own. */
export function OpenBoard({
  scene,
  seat,
  close,
}: {
  scene: Scene;
  seat: number;
  close: () => void;
}): VNode {
  const { layout, table } = scene;
  const board = parseBoard(scene.view.boards[seat] ?? "");
  const name = scene.name(seat);
  const { w } = screen.value;
  const width =
    layout.kind === "desk" ? 400 : layout.kind === "side" ? w - 2 * sideWidth(w) : w - 24;
  const high = layout.kind === "desk" ? 200 : layout.tall ? 104 : layout.kind === "side" ? 130 : 88;
  const here = table.seats[seat];
  const others = table.seats.filter(
    (each, i) => i !== seat && each.kind === "person" && each.bot === null,
  );
  const votable = scene.seat !== null && here?.kind === "person" && here.bot === null && here.away;
  return (
    <section class="panel peek" aria-label={t("web.play.board.of", { name })}>
      <p class="who">
        <b>{scene.brief(seat, 14)}</b>
        <State state={stateOf(scene, seat)} words />
        <Sum scene={scene} seat={seat} />
      </p>
      <Sideboard board={board} pitch={fitPitch(width, high, { w: 44, h: 30 }, 8)} wide={8} />
      <BoardTable board={board} caption={t("web.play.board.of", { name })} />
      {votable && (
        <button type="button" class="button small" onClick={() => scene.desk.ask(`vote ${seat}`)}>
          {t("web.play.vote", { name, votes: here.votes.length, needed: others.length })}
        </button>
      )}
      <Close close={close} />
    </section>
  );
}
