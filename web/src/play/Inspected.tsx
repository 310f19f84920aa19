import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { CardPicture } from "../board/CardPicture";
import { boardSize, cardSize, DESK, fitPitch, type Pitch } from "../board/geometry";
import { ObjectivePicture } from "../board/ObjectivePicture";
import { Sideboard } from "../board/Sideboard";
import { parseBoard } from "../edition";
import { objectiveWords } from "../sentences";
import { inspected, lookAway, type Thing } from "./inspect";
import { screen } from "./layout";
import type { Scene } from "./scene";

/** Between the picture and its frame, to what it shows, and to the edge of the screen. */
const PAD = 10;
const WIDEST = 380;
const CARD_WIDTH = 120;
const OBJECTIVE_WIDTH = 220;
const NAME_HEIGHT = 24;
const CARDS = 8;

/** The pitch of a card that may be so high. */
function cardPitch(high: number): Pitch {
  const whole = cardSize({ w: CARD_WIDTH, h: DESK.h }).h;
  return { w: CARD_WIDTH, h: DESK.h * Math.min(1, high / whole) };
}

/** The large picture of a thing in a room, and how wide it is. */
function large(scene: Scene, thing: Thing, room: { w: number; h: number }): [VNode, number] {
  if (thing.what === "card")
    return [<CardPicture laid={thing.laid} pitch={cardPitch(room.h)} kind="hand" />, CARD_WIDTH];
  if (thing.what === "objective")
    return [
      <>
        <ObjectivePicture number={thing.number} size="large" />
        <p>{objectiveWords(thing.number)}</p>
      </>,
      OBJECTIVE_WIDTH,
    ];
  const board = parseBoard(scene.view.boards[thing.seat] ?? "");
  const pitch = fitPitch(Math.min(room.w, WIDEST) - PAD, room.h - NAME_HEIGHT, DESK, CARDS);
  return [
    <>
      <b>{scene.name(thing.seat)}</b>
      <Sideboard board={board} pitch={pitch} wide={CARDS} />
    </>,
    boardSize(pitch, CARDS).w,
  ];
}

/** What a finger or the mouse rests on, large: above or below it, where there is more room. */
export function Inspected({ scene }: { scene: Scene }): VNode | null {
  useEffect(() => lookAway, []);
  const now = inspected.value;
  if (now === null) return null;
  const { thing, box } = now;
  const { w, h } = screen.value;
  const below = h - box.bottom > box.top;
  const high = (below ? h - box.bottom : box.top) - 4 * PAD;
  const [picture, width] = large(scene, thing, { w: w - 4 * PAD, h: high });
  const middle = box.left + box.width / 2 - width / 2 - PAD;
  const left = Math.max(PAD, Math.min(middle, w - width - 3 * PAD));
  const edge = below ? { top: `${box.bottom + PAD}px` } : { bottom: `${h - box.top + PAD}px` };
  return (
    // For the eye only: buttons and panels tell the same to everybody.
    <div
      class={`inspected ${thing.what}`}
      aria-hidden="true"
      style={{ left: `${left}px`, width: `${width}px`, ...edge }}
    >
      {picture}
    </div>
  );
}
