import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { CardPicture } from "../board/CardPicture";
import type { End } from "../choice";
import { go } from "../route";
import { countOf, labelled, type Part, roundWords } from "../sentences";
import { play, wake } from "../sound";
import type { Local } from "../table/TableRoute";
import { PlayTips } from "../tutorial/PlayTips";
import { t } from "../words";
import { Actions } from "./Actions";
import { Calm } from "./Calm";
import type { Desk } from "./desk";
import { dragged } from "./drag";
import { Hand } from "./Hand";
import { Inspected } from "./Inspected";
import { lookAway } from "./inspect";
import { press } from "./keys";
import { Log, Memory } from "./Log";
import { Banner, Helping, KeyHelp, News, Phrases } from "./Notes";
import { LargeObjective, Objectives } from "./Objectives";
import { OpenBoard, Opponents } from "./Opponents";
import { Options } from "./Options";
import { OwnBoard } from "./OwnBoard";
import { nowWords, Status } from "./Status";
import { type Scene, sceneOf } from "./scene";
import { type Over, waysOf } from "./ways";
import "./play.css";
import "./objectives.css";
import "./panels.css";
import "./table.css";
import "./own.css";
import "./hand.css";
import "./actions.css";
import "./notes.css";
import "./reveal.css";

/** The card that hangs at the pointer. */
function Dragged({ scene }: { scene: Scene }): VNode | null {
  const now = dragged.value;
  if (now === null) return null;
  const choice = scene.choice;
  const turned = choice.kind === "place" && choice.card === now.card && choice.turned;
  return (
    <div class="dragged" style={{ transform: `translate(${now.x}px, ${now.y}px)` }}>
      <CardPicture laid={{ card: now.card, turned }} pitch={scene.layout.hand} kind="hand" />
    </div>
  );
}

function useKeys(local: Local, desk: Desk, over: Over, show: (over: Over) => void): void {
  const now = useRef(over);
  now.current = over;
  useEffect(() => {
    function down(event: KeyboardEvent): void {
      local.place.stir();
      wake();
      lookAway();
      const close = (): boolean => {
        const open = now.current !== null;
        show(null);
        return open;
      };
      if (event.defaultPrevented) return;
      const done = press(event, local.place, desk, {
        close,
        keys: () => show({ what: "keys" }),
        options: () => {
          show({ what: "options" });
          requestAnimationFrame(() =>
            document.querySelector<HTMLElement>("#options input")?.focus(),
          );
        },
      });
      if (done) event.preventDefault();
    }
    addEventListener("keydown", down);
    return () => removeEventListener("keydown", down);
  }, [local.place, desk]);
}

/** The tone of a new combination rises with their number. */
function useTones(scene: Scene | null): void {
  const option = scene?.option?.points;
  const points = scene?.points;
  const count = (which: typeof option): number =>
    which === undefined || scene === null
      ? 0
      : countOf(which, "color", scene.view.objectives) +
        countOf(which, "handle", scene.view.objectives);
  const more = option === undefined ? 0 : count(option) - count(points);
  useEffect(() => {
    if (more > 0 && scene?.locked === false) play("gain", count(option));
  }, [more, scene?.option?.move]);
}

/** Everything that one person, or a spectator, sees of a game. */
export function Screen({ local, desk }: { local: Local; desk: Desk }): VNode {
  const [over, show] = useState<Over>(null);
  const [outlined, setOutlined] = useState<ReadonlySet<Part>>(new Set());
  const [hover, setHover] = useState<End | null>(null);
  const [watched, watch] = useState(0);
  useKeys(local, desk, over, show);
  const scene = sceneOf(local.place, desk, watched);
  useTones(scene);
  if (scene === null) return <div class="loading" aria-busy="true" />;
  const { layout } = scene;

  function outline(part: Part): void {
    const next = new Set(outlined);
    if (!next.delete(part)) next.add(part);
    setOutlined(next);
  }
  async function leave(): Promise<void> {
    desk.question.value = null;
    try {
      await local.place.act("leave");
      go("/");
    } catch (refusal) {
      desk.trouble.value = refusal instanceof Error ? refusal.message : "";
    }
  }
  // What lies under a panel cannot be reached.
  const covered = over?.what === "objective" || over?.what === "board";
  const strips = layout.kind === "phone" || layout.kind === "stack";
  const open = scene.seat === null ? watched : over?.what === "board" ? over.seat : null;
  const others = (
    <Calm
      scene={scene}
      from={[open, covered && strips]}
      draw={() => (
        <Opponents
          scene={scene}
          open={open}
          show={(seat) => {
            if (scene.seat === null) watch(seat ?? watched);
            else show(seat === null ? null : { what: "board", seat });
          }}
          inert={covered && strips}
        />
      )}
    />
  );
  return (
    <main
      class={`play ${layout.kind} ${layout.tall ? "tall" : "low"} ${layout.tight ? "tight" : "airy"} ${scene.seat === null ? "watching" : ""}`}
      data-reveal={desk.reveal.value === null ? undefined : ""}
      onPointerDown={() => {
        local.place.stir();
        wake();
        desk.reveal.value = null;
      }}
    >
      <h1 class="hidden-text">{`${labelled(t("term.game"), roundWords(scene.round))}. ${nowWords(scene)}`}</h1>
      <Calm
        scene={scene}
        from={[]}
        draw={() => <Status scene={scene} extra={waysOf(scene, show)} />}
      />
      <Banner scene={scene} />
      <div class="upper">
        <Objectives
          scene={scene}
          large={over?.what === "objective" ? over.part : null}
          show={(part) => show(part === null ? null : { what: "objective", part })}
          outlined={outlined}
          outline={outline}
          inert={covered && strips}
        />
        {layout.kind !== "desk" && others}
        {over?.what === "objective" && (
          <LargeObjective
            scene={scene}
            part={over.part}
            on={outlined.has(over.part)}
            outline={() => outline(over.part)}
            close={() => show(null)}
          />
        )}
        {over?.what === "board" && (
          <OpenBoard scene={scene} seat={over.seat} close={() => show(null)} />
        )}
        <OwnBoard scene={scene} outlined={outlined} hover={hover} hovered={setHover} />
      </div>
      {scene.seat !== null && <Hand scene={scene} inert={covered && layout.kind === "side"} />}
      {scene.seat !== null && <Actions scene={scene} leave={() => void leave()} />}
      {(layout.kind === "desk" || over?.what === "log") && (
        <div class={layout.kind === "desk" ? "column" : "panel sheet"}>
          {layout.kind === "desk" && others}
          <Calm scene={scene} from={[]} draw={() => <Log scene={scene} />} />
          <Calm scene={scene} from={[]} draw={() => <Memory scene={scene} />} />
          {layout.kind !== "desk" && (
            <button type="button" class="button small" onClick={() => show(null)}>
              {t("web.play.close")}
            </button>
          )}
        </div>
      )}
      {over?.what === "phrases" && <Phrases scene={scene} close={() => show(null)} />}
      {over?.what === "keys" && <KeyHelp close={() => show(null)} />}
      <Options scene={scene} open={over?.what === "options"} close={() => show(null)} />
      <Helping scene={scene} />
      <News scene={scene} />
      <Dragged scene={scene} />
      <Inspected scene={scene} />
      <PlayTips scene={scene} />
      <p class="hidden-text" role="status" aria-live="polite">
        {desk.said.value}
      </p>
    </main>
  );
}
