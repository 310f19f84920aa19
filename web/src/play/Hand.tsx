import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { CardBack } from "../board/CardBack";
import { CardPicture } from "../board/CardPicture";
import { cardSize } from "../board/geometry";
import { at, type Choice, take, turn } from "../choice";
import { handCardRead, letter, sure } from "../sentences";
import { settings } from "../settings";
import { play } from "../sound";
import { signed, t } from "../words";
import { drag } from "./drag";
import { Icon } from "./icons";
import { byFinger, press } from "./inspect";
import { screen, tagLetters } from "./layout";
import { destinationOf, originOf, type Scene } from "./scene";

/** How a card of the hand lies in the choice; null if it is not chosen. */
function laidIn(choice: Choice, card: number): { turned: boolean } | null {
  if (choice.kind === "start") return choice.laid.find((each) => each.card === card) ?? null;
  return choice.card === card ? { turned: choice.turned } : null;
}

/** What every way to lay this card would bring, at its four corners (help level 2 and more). */
function Corners({ scene, card }: { scene: Scene; card: number }): VNode | null {
  const { view, points, choice } = scene;
  if (points === undefined || scene.locked) return null;
  const now = points;
  const gainOf = (move: string): number | undefined => {
    const found = view.options.find((option) => option.move === move)?.points;
    return found === undefined ? undefined : sure(found) - sure(now);
  };
  const [first] = choice.kind === "start" ? choice.laid : [];
  const other = first === undefined ? "" : `${first.card}${first.turned ? "~" : ""},`;
  const moves: Record<string, string> =
    choice.kind === "place"
      ? { lu: `L${card}`, lt: `L${card}~`, ru: `R${card}`, rt: `R${card}~` }
      : first !== undefined && first.card !== card
        ? { ru: `${other}${card}`, rt: `${other}${card}~` }
        : {};
  return (
    <span class="corners" aria-hidden="true">
      {Object.entries(moves).map(([corner, move]) => {
        const gain = gainOf(move);
        return gain === undefined ? null : (
          <small key={corner} class={corner}>
            {signed(gain)}
          </small>
        );
      })}
    </span>
  );
}

interface CardProps {
  scene: Scene;
  place: number;
  card: number;
}

/** A card of the hand as a button. */
function HandCard({ scene, place, card }: CardProps): VNode {
  const { desk, layout, choice, locked } = scene;
  const laid = laidIn(choice, card);
  const turned = laid?.turned === true;
  const was = useRef(turned);
  const spun = was.current !== turned;
  useEffect(() => {
    was.current = turned;
  }, [turned]);
  const origin = originOf(scene, place);
  const passed = origin !== t("web.say.drawn");
  const destination = destinationOf(scene, card);
  const compact = layout.tight;
  const open = desk.open.value;
  const most = tagLetters(layout.kind, screen.value.w, scene.hand.length);
  const from = originOf(scene, place, most);
  const to = destinationOf(scene, card, most);
  const tag =
    compact && to !== ""
      ? layout.kind === "side" && scene.hand.length < 3
        ? `${from} · ${to}`
        : to
      : from;
  const gone = laid !== null && choice.kind === "start";
  return (
    <li
      class={`held ${passed ? "passed" : "drawn"} ${laid === null ? "" : "chosen"} ${gone ? "gone" : ""}`}
    >
      <span class="tag" aria-hidden="true">
        {layout.kind === "desk" && settings.value.keys && <kbd>{place + 1}</kbd>}
        {tag}
      </span>
      <span class="place">
        <button
          type="button"
          class="card"
          data-card={letter(place)}
          aria-pressed={laid !== null}
          aria-disabled={!open}
          aria-label={`${handCardRead(place, origin, { card, turned })} ${destination}`}
          onClick={() => {
            play("tick");
            desk.edit((now) => take(now, card));
          }}
          onContextMenu={(event) => {
            event.preventDefault();
            if (byFinger()) return;
            desk.edit((now) => turn(laidIn(now, card) === null ? take(now, card) : now, card));
          }}
          onWheel={() => laid !== null && desk.edit((now) => turn(now, card))}
          onPointerDown={(event) => {
            press(event, { what: "card", laid: { card, turned } });
            if (!open) return;
            drag(event, card, (where) => {
              if (where === null || where === "hand") return;
              desk.edit((now) => at(laidIn(now, card) === null ? take(now, card) : now, where));
            });
          }}
        >
          <span class={spun ? (turned ? "spun" : "spun back") : ""}>
            <CardPicture laid={{ card, turned }} pitch={layout.hand} kind="hand" />
          </span>
          {locked && laid !== null && <Icon name="lock" size={18} />}
        </button>
        {scene.level >= 2 && <Corners scene={scene} card={card} />}
      </span>
      {!compact && (
        <span class="goes" aria-hidden="true">
          {to}
        </span>
      )}
    </li>
  );
}

function Turn({ scene }: { scene: Scene }): VNode {
  const { choice, desk } = scene;
  const none = choice.kind !== "place" || choice.card === null;
  return (
    <li class="between">
      <button
        type="button"
        class="turn"
        disabled={none || !desk.open.value}
        onClick={() => {
          play("tick");
          desk.edit((now) => turn(now));
        }}
      >
        <Icon name="turn" size={20} />
        <span>{t("web.play.turn")}</span>
      </button>
    </li>
  );
}

/** The cards in hand, the button that turns, on a desk also the draw pile. */
export function Hand({ scene, inert }: { scene: Scene; inert: boolean }): VNode {
  const { hand, layout, view, desk } = scene;
  const size = cardSize(layout.hand);
  const two = hand.length === 2;
  const reveal = desk.reveal.value;
  const cards = hand.map((card, place) => (
    <HandCard key={card} scene={scene} place={place} card={card} />
  ));
  const turning = scene.choice.kind === "place" && <Turn key="turn" scene={scene} />;
  return (
    <section
      class={`hand of-${hand.length}`}
      id="hand"
      tabIndex={-1}
      data-drop="hand"
      inert={inert}
      data-tip="hand pass"
      aria-labelledby="hand-title"
    >
      <h2 id="hand-title" class="hidden-text">
        {t("web.play.hand")}
      </h2>
      <ul>
        {two ? [cards[0], turning, cards[1]] : [...cards, turning]}
        {layout.kind === "desk" && (
          <li class="pile">
            <CardBack w={size.w} h={size.h} />
            <small>{t("web.play.pile", { count: view.public.pile })}</small>
          </li>
        )}
      </ul>
      {reveal !== null && (
        <div class="leaving" aria-hidden="true">
          {reveal.rest.map((card) => (
            <CardPicture
              key={card}
              laid={{ card, turned: false }}
              pitch={layout.hand}
              kind="hand"
            />
          ))}
        </div>
      )}
    </section>
  );
}
