import type { VNode } from "preact";
import { boardSize, slotRect } from "../board/geometry";
import type { BoardMarks } from "../board/Marks";
import { Sideboard } from "../board/Sideboard";
import { at, type Choice, type End, exchange, putBack, turn } from "../choice";
import { letter, type Part } from "../sentences";
import { play } from "../sound";
import { t } from "../words";
import { BoardTable } from "./BoardTable";
import { drag } from "./drag";
import { Icon } from "./icons";
import { byFinger, press } from "./inspect";
import { Short } from "./Short";
import type { Scene } from "./scene";
import { added, boardWith, whole } from "./shown";

interface OwnBoardProps {
  scene: Scene;
  outlined: ReadonlySet<Part>;
  /** The end over which the mouse hovers: shown, not set. */
  hover: End | null;
  hovered: (end: End | null) => void;
}

const px = (value: number): string => `${value}px`;

/** What is marked: the wished kinds whole, of the others only what the choice adds. */
function marksFor(scene: Scene, outlined: ReadonlySet<Part>): BoardMarks | undefined {
  const { before, after, shown, level } = scene;
  if (level === 0 || after === undefined) return undefined;
  const all = whole(after, outlined);
  const fresh =
    shown.ghost.length > 0 && (before !== undefined || scene.board.length === 0)
      ? added(before, after, shown.by)
      : { color: [], handle: [], row: [] };
  return {
    color: outlined.has("color") ? all.color : fresh.color,
    handle: outlined.has("handle") ? all.handle : fresh.handle,
    row: outlined.has("row") ? all.row : fresh.row,
  };
}

/** The own sideboard with its free ends, which are buttons. */
export function OwnBoard({ scene, outlined, hover, hovered }: OwnBoardProps): VNode {
  const { layout, choice, locked, round, board } = scene;
  const pitch = layout.board;
  const watching = scene.seat === null;
  const name = watching
    ? t("web.play.board.of", { name: scene.name(scene.large) })
    : t("web.play.board");
  const trying = hover !== null && choice.kind === "place" && choice.card !== null && !locked;
  const shown = trying ? boardWith(board, at(choice, hover)) : scene.shown;
  const size = boardSize(pitch);
  return (
    <section class="own" id="board" tabIndex={-1} data-drop="board" aria-labelledby="board-title">
      <h2 id="board-title" class={watching ? "whose" : "hidden-text"}>
        {name}
      </h2>
      <div class="stand" style={{ width: px(size.w), height: px(size.h) }}>
        <Sideboard
          board={shown.board}
          pitch={pitch}
          ghost={shown.ghost}
          locked={locked}
          slots={{ left: round > 0 && !watching, right: round > 0 && !watching }}
          marks={trying ? undefined : marksFor(scene, outlined)}
        />
        {!watching && choice.kind === "place" && (
          <Ends scene={scene} choice={choice} hovered={hovered} />
        )}
        {!watching && choice.kind === "start" && <Starts scene={scene} choice={choice} />}
        {scene.level >= 2 && !watching && round > 0 && <Short scene={scene} />}
      </div>
      <BoardTable board={scene.shown.board} caption={name} />
    </section>
  );
}

interface EndsProps {
  scene: Scene;
  choice: Choice & { kind: "place" };
  hovered: (end: End | null) => void;
}

/** The two free ends: they say where the card goes; where it is already, they turn it. */
function Ends({ scene, choice, hovered }: EndsProps): VNode {
  const { desk, layout, board } = scene;
  const open = desk.open.value;
  return (
    <>
      {(["left", "right"] as const).map((end) => {
        const box = slotRect(end === "left" ? -1 : board.length, board.length, layout.board);
        const card = choice.end === end ? choice.card : null;
        const called = end === "left" ? t("term.left_end") : t("term.right_end");
        return (
          <button
            key={end}
            type="button"
            class={`end ${card === null ? "" : "taken"}`}
            style={{ left: px(box.x), top: px(box.y), width: px(box.w), height: px(box.h) }}
            aria-label={
              card === null
                ? t("web.play.slot", { end: called })
                : t("web.play.turn.card", { letter: letter(scene.hand.indexOf(card)) })
            }
            aria-disabled={!open}
            onPointerEnter={(event) =>
              event.pointerType === "mouse" && card === null && hovered(end)
            }
            onPointerLeave={() => hovered(null)}
            onPointerDown={(event) => {
              if (card === null) return;
              press(event, { what: "card", laid: { card, turned: choice.turned } });
              if (!open) return;
              drag(event, card, (where) => {
                if (where === "hand") desk.edit((now) => putBack(now, card));
                else if (where !== null) desk.edit((now) => at(now, where));
              });
            }}
            onClick={() => {
              hovered(null);
              play("tick");
              desk.edit((now) => (card === null ? at(now, end) : turn(now)));
            }}
            onContextMenu={(event) => {
              event.preventDefault();
              if (card !== null && !byFinger()) desk.edit((now) => turn(now));
            }}
          />
        );
      })}
    </>
  );
}

/** The two places for starting cards: tap turns, the small cross puts back. */
function Starts({ scene, choice }: { scene: Scene; choice: Choice & { kind: "start" } }): VNode {
  const { desk, layout, hand } = scene;
  const pitch = layout.board;
  const open = desk.open.value;
  const edge = slotRect(2, 2, pitch);
  return (
    <>
      {[0, 1].map((column) => {
        const laid = choice.laid[column];
        const box = slotRect(column, 2, pitch);
        const style = { left: px(box.x), top: px(box.y), width: px(box.w), height: px(box.h) };
        if (laid === undefined) return null;
        const called = letter(hand.indexOf(laid.card));
        const cross = column === 0 ? { left: px(box.x - 30) } : { left: px(box.x + box.w + 2) };
        return [
          <button
            key={`turn ${column}`}
            type="button"
            class="end taken"
            style={style}
            aria-label={t("web.play.turn.card", { letter: called })}
            aria-disabled={!open}
            onPointerDown={(event) => {
              press(event, { what: "card", laid });
              if (!open) return;
              drag(event, laid.card, (where) => {
                if (where === "hand") desk.edit((now) => putBack(now, laid.card));
              });
            }}
            onClick={() => {
              play("tick");
              desk.edit((now) => turn(now, laid.card));
            }}
          />,
          open && (
            <button
              key={`back ${column}`}
              type="button"
              class="cross"
              style={{ ...cross, top: px(box.y) }}
              aria-label={t("web.play.back", { letter: called })}
              onClick={() => desk.edit((now) => putBack(now, laid.card))}
            >
              <Icon name="close" size={14} />
            </button>
          ),
        ];
      })}
      {open && choice.laid.length > 0 && (
        <button
          type="button"
          class="turn beside"
          style={{ left: px(edge.x - 2 * pitch.w - 88), top: px(edge.y + edge.h / 2 - 22) }}
          onClick={() => {
            play("tick");
            desk.edit((now) => turn(now));
          }}
        >
          <Icon name="turn" size={18} />
          <span>{t("web.play.turn")}</span>
        </button>
      )}
      {open && choice.laid.length === 2 && (
        <button
          type="button"
          class="turn beside"
          style={{ left: px(edge.x + 36), top: px(edge.y + edge.h / 2 - 22) }}
          aria-label={t("web.play.exchange")}
          onClick={() => desk.edit(exchange)}
        >
          <Icon name="exchange" size={20} />
        </button>
      )}
    </>
  );
}
