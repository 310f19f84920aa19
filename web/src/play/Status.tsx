import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Menu } from "../menu/Menu";
import { ROUNDS, roundWords, timeWords, waitBrief, waitWords } from "../sentences";
import { t } from "../words";
import { sayRoom, screen } from "./layout";
import type { Scene } from "./scene";

/** Who has not chosen yet, the own seat apart. */
export function missing(scene: Scene): string[] {
  return scene.view.public.sealed.flatMap((sealed, seat) =>
    sealed || seat === scene.seat ? [] : [scene.name(seat)],
  );
}

/** What is to be done now, in one sentence; `wait` says who is waited for. */
export function nowWords(scene: Scene, wait = waitWords): string {
  const others = missing(scene);
  if (scene.seat === null) return others.length > 0 ? wait(others) : t("web.play.watching");
  if (scene.replaced) return t("web.play.bot_for_you");
  if (scene.locked) return others.length > 0 ? wait(others) : t("web.play.locked");
  const count = scene.hand.length;
  return scene.round === 0
    ? t("web.play.choose.start", { count })
    : t("web.play.choose", { count });
}

function Pips({ round }: { round: number }): VNode {
  return (
    <span class="pips" role="img" aria-label={roundWords(round)}>
      {Array.from({ length: ROUNDS + 1 }, (_, i) => (
        <i key={i} class={i < round ? "past" : i === round ? "here" : ""} />
      ))}
    </span>
  );
}

/** The time that is left, quietly; in minutes and seconds, or in words when there are days. */
function Clock({ scene }: { scene: Scene }): VNode | null {
  const [now, tick] = useState(performance.now());
  const deadline = scene.place.deadline.value;
  useEffect(() => {
    if (deadline === null) return;
    tick(performance.now());
    const timer = setInterval(() => tick(performance.now()), 500);
    return () => clearInterval(timer);
  }, [deadline]);
  const left = deadline === null ? 0 : Math.max(0, deadline - now);
  const soon = deadline !== null && left <= 10_000 && left > 0 && !scene.locked;
  useEffect(() => {
    if (soon) scene.desk.said.value = timeWords(left);
  }, [soon]);
  if (deadline === null) return null;
  const seconds = Math.ceil(left / 1000);
  const short = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return (
    <span class={`clock ${soon ? "soon" : ""}`}>
      <span aria-hidden="true">{seconds < 5400 ? short : timeWords(left)}</span>
      <span class="hidden-text">{timeWords(left)}</span>
    </span>
  );
}

function LinkState({ scene }: { scene: Scene }): VNode {
  const link = scene.place.link.value;
  const word =
    link === "online"
      ? t("web.play.online")
      : link === "connecting"
        ? t("web.play.connecting")
        : t("web.play.lost");
  return (
    <span class={`link ${link}`}>
      <i aria-hidden="true" />
      <span class="word">{word}</span>
    </span>
  );
}

/** What there is room for; the whole sentence is there for the ear. */
function Brief({ words, whole }: { words: string; whole: string }): VNode {
  if (words === whole) return <>{words}</>;
  return (
    <>
      <span aria-hidden="true">{words}</span>
      <span class="hidden-text">{whole}</span>
    </>
  );
}

/** The uppermost line: how far it is, what to do, whether the server hears us, the menu. */
export function Status({ scene, extra }: { scene: Scene; extra: VNode[] }): VNode {
  const { layout, desk, place } = scene;
  const trouble = desk.trouble.value;
  const others = missing(scene);
  const room = sayRoom(layout.kind, screen.value.w, place.deadline.value !== null);
  const brief = nowWords(scene, (names) => waitBrief(names, room.say, 2));
  const also =
    scene.seat !== null && !scene.locked && others.length > 0 && layout.kind === "desk"
      ? waitBrief(others, room.also, 1)
      : scene.seat === null
        ? t("web.play.watching")
        : null;
  return (
    <header class={`status ${trouble === null ? "" : "trouble"}`}>
      {layout.kind === "desk" && (
        <a class="brand" href="/">
          <svg viewBox="0 0 40 32" width="30" height="26" aria-hidden="true">
            <use href="#logo" width="40" height="32" />
          </svg>
          <span>{t("term.game")}</span>
        </a>
      )}
      <div class="course">
        <Pips round={scene.round} />
        {layout.kind === "desk" && <span class="round">{roundWords(scene.round)}</span>}
        <p class="say">
          <strong class={brief.length > 25 ? "long" : ""}>
            {place.saving.value ? (
              t("web.play.saving")
            ) : (
              <Brief words={trouble ?? brief} whole={trouble ?? nowWords(scene)} />
            )}
          </strong>
          {also !== null && (
            <span class="also">
              <Brief words={also} whole={scene.seat === null ? also : waitWords(others)} />
            </span>
          )}
        </p>
        <Clock scene={scene} />
      </div>
      <LinkState scene={scene} />
      <Menu extra={extra} />
    </header>
  );
}
