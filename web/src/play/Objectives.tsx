import type { VNode } from "preact";
import { ObjectivePicture } from "../board/ObjectivePicture";
import { objective } from "../edition";
import {
  labelled,
  objectiveWords,
  PARTS,
  type Part,
  partsWords,
  sure,
  tallyWords,
} from "../sentences";
import { signed, t } from "../words";
import { Close } from "./icons";
import { lookAway, press, rest } from "./inspect";
import type { Scene } from "./scene";

interface ObjectivesProps {
  scene: Scene;
  /** Which one is shown large. */
  large: Part | null;
  show: (part: Part | null) => void;
  outlined: ReadonlySet<Part>;
  outline: (part: Part) => void;
  /** Covered by something. */
  inert: boolean;
}

function Tally({ scene, part }: { scene: Scene; part: Part }): VNode | null {
  const { points, option, view } = scene;
  if (points === undefined) return null;
  const gain =
    option?.points === undefined || scene.level === 0 ? 0 : option.points[part] - points[part];
  const [sum, total] = tallyWords(points, part, view.objectives).split(" = ");
  return (
    <span class="tally">
      <span class="sum">
        {sum} = <b>{total}</b>
      </span>
      {gain !== 0 && <b class="gain">{signed(gain)}</b>}
    </span>
  );
}

const COLORS = ["red", "orange", "pink", "turquoise", "black"];
const HANDLES = ["flower", "square", "bar"];

/** On a desk: its number, what it is made of, what it brings. */
function Head({ number }: { number: number }): VNode {
  const info = objective(number);
  const all = info.of === "color" ? COLORS : HANDLES;
  const shown = info.only === null ? all : all.filter((each) => each === info.only);
  return (
    <span class="head" aria-hidden="true">
      <small>{number}</small>
      {shown.map((each) =>
        info.of === "color" ? (
          <i key={each} class={each} />
        ) : (
          <svg
            key={each}
            class="sign"
            viewBox="-17 -12 34 24"
            width="20"
            height="14"
            aria-hidden="true"
          >
            <use href={`#i-${each}`} />
          </svg>
        ),
      )}
      <b class={info.kind}>{info.points}</b>
    </span>
  );
}

/** The three objectives, with what the own board has of them. */
export function Objectives(props: ObjectivesProps): VNode {
  const { scene, large, show, outlined, outline } = props;
  const desk = scene.layout.kind === "desk";
  return (
    <section
      class="objectives"
      id="objectives"
      tabIndex={-1}
      inert={props.inert}
      aria-labelledby="objectives-title"
    >
      <h2 id="objectives-title" class={desk ? "title" : "hidden-text"}>
        {t("web.play.objectives")}
      </h2>
      <div class="cards">
        {PARTS.map((part, i) => {
          const number = scene.view.objectives[i] ?? 1;
          return (
            <button
              key={part}
              type="button"
              data-tip={{ color: undefined, handle: "match", row: "objectives bonus" }[part]}
              class={`objective ${outlined.has(part) ? "outlined" : ""}`}
              aria-expanded={large === part}
              onPointerDown={(event) => press(event, { what: "objective", number })}
              onPointerEnter={(event) =>
                !desk && large !== part && rest(event, { what: "objective", number })
              }
              onPointerLeave={(event) => event.pointerType === "mouse" && lookAway()}
              onClick={() => (large === part ? outline(part) : show(part))}
            >
              <span class="hidden-text">{`${objectiveWords(number)}. `}</span>
              {desk && <Head number={number} />}
              <ObjectivePicture number={number} size={desk ? "large" : "small"} />
              <Tally scene={scene} part={part} />
            </button>
          );
        })}
      </div>
      {desk && scene.points !== undefined && (
        <p class="own-total">
          <span>{t("web.play.total")}</span> <b>{sure(scene.points)}</b>
          <small>{partsWords(scene.points)}</small>
        </p>
      )}
    </section>
  );
}

/** A form of a pattern as a small grid. */
function Form({ cells }: { cells: [number, number][] }): VNode {
  const wide = Math.max(...cells.map(([column]) => column)) + 1;
  const high = Math.max(...cells.map(([, height]) => height)) + 1;
  return (
    <svg
      class="form"
      viewBox={`-1 -1 ${wide * 16 + 2} ${high * 11 + 2}`}
      width={wide * 16 + 2}
      height={high * 11 + 2}
      aria-hidden="true"
    >
      {cells.map(([column, height]) => (
        <rect
          key={`${column} ${height}`}
          x={column * 16 + 0.5}
          y={height * 11 + 0.5}
          width={15}
          height={10}
          rx={2}
        />
      ))}
    </svg>
  );
}

interface LargeProps {
  scene: Scene;
  part: Part;
  on: boolean;
  outline: () => void;
  close: () => void;
}

/** One objective in full: picture, sentence, all forms, and whether it is outlined on the board. */
export function LargeObjective({ scene, part, on, outline, close }: LargeProps): VNode {
  const number = scene.view.objectives[PARTS.indexOf(part)] ?? 1;
  const info = objective(number);
  return (
    <section class="panel large" aria-label={objectiveWords(number)}>
      <button type="button" class="picture" onClick={outline}>
        <span class="hidden-text">{on ? t("web.play.outline.off") : t("web.play.outline")}</span>
        <ObjectivePicture number={number} size="large" />
      </button>
      <div class="about">
        <p>
          <b>{t("objective.number", { number })}</b> {objectiveWords(number)}
        </p>
        {info.forms.length > 0 && (
          <div
            class="forms"
            role="img"
            aria-label={labelled(t("web.play.forms"), String(info.forms.length))}
          >
            {info.forms.map((cells) => (
              <Form key={cells.join(" ")} cells={cells} />
            ))}
          </div>
        )}
        {scene.level > 0 && scene.seat !== null && (
          <button type="button" class="button small" aria-pressed={on} onClick={outline}>
            {on ? t("web.play.outline.off") : t("web.play.outline")}
          </button>
        )}
      </div>
      <Close close={close} />
    </section>
  );
}
