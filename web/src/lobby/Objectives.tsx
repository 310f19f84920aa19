import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { CardBack } from "../board/CardBack";
import { ObjectivePicture } from "../board/ObjectivePicture";
import { boot, type ObjectiveInfo } from "../boot";
import { objective } from "../edition";
import { OneOf } from "../menu/fields";
import type { Settings, TableInfo } from "../protocol";
import { objectiveWords } from "../sentences";
import { t } from "../words";
import type { Doing } from "./TablePage";
import { difficulty, suggestionOf } from "./terms";

interface ObjectivesProps {
  info: TableInfo;
  host: boolean;
  doing: Doing;
}

type Numbers = NonNullable<Settings["objectives"]>;
const KINDS = ["color", "handle", "row"] as const;

/** Which objectives count, as pictures; the host chooses them. */
export function Objectives({ info, host, doing }: ObjectivesProps): VNode {
  const now = info.settings.objectives;
  const [byNumber, setByNumber] = useState(false);
  const suggestion = suggestionOf(now);
  const pick = now === null ? "random" : byNumber || suggestion === 0 ? "number" : "suggestion";
  const first: Numbers = boot.suggestions[0] ?? [1, 8, 15];
  const set = (objectives: Settings["objectives"]): void =>
    doing.attempt(() => doing.change({ objectives }));

  function choosePick(wanted: "suggestion" | "random" | "number"): void {
    setByNumber(wanted === "number");
    if (wanted === "random") set(null);
    else if (wanted === "suggestion" && suggestion === 0) set(first);
    else if (wanted === "number" && now === null) set(first);
  }

  return (
    <section class="pick" id="objectives">
      <h2 class="objectives-title">{t("web.lobby.objectives")}</h2>
      {host && (
        <OneOf
          legend={t("web.lobby.objectives")}
          quiet
          joined
          value={pick}
          choices={[
            { value: "suggestion" as const, label: t("web.lobby.pick.suggestion") },
            { value: "random" as const, label: t("web.lobby.pick.random") },
            { value: "number" as const, label: t("web.lobby.pick.number") },
          ]}
          onChoose={choosePick}
        />
      )}
      {host && pick === "suggestion" && (
        <OneOf
          legend={t("web.lobby.pick.suggestion")}
          quiet
          joined
          value={suggestion}
          choices={boot.suggestions.map((_, i) => ({ value: i + 1, label: String(i + 1) }))}
          onChoose={(number) => set(boot.suggestions[number - 1] ?? null)}
        />
      )}
      <ul class="objective-strip">
        {KINDS.map((kind, i) => (
          <li key={kind} class="tile">
            {now === null ? <Hidden kind={kind} /> : <Shown number={now[i] ?? 1} />}
          </li>
        ))}
      </ul>
      {now === null && <p class="note">{t("web.lobby.random.note")}</p>}
      {host && pick === "number" && now !== null && (
        <ByNumber now={now} onChoose={(numbers) => set(numbers)} />
      )}
    </section>
  );
}

function Shown({ number }: { number: number }): VNode {
  const hard = difficulty(number);
  return (
    <>
      <ObjectivePicture number={number} size="small" label={objectiveWords(number)} />
      <p class="tile-words">
        {t("objective.number", { number })}
        {hard !== null && ` · ${t(`web.lobby.difficulty.${hard}`)}`}
      </p>
    </>
  );
}

function Hidden({ kind }: { kind: (typeof KINDS)[number] }): VNode {
  return (
    <>
      <div class="tile-back">
        <CardBack w={64} h={40} />
      </div>
      <p class="tile-words">{t(`score.${kind}`)}</p>
    </>
  );
}

/** What tells an objective from others of its kind in a list. */
function nameOf(info: ObjectiveInfo): string {
  const number = t("objective.number", { number: info.number });
  if (info.kind === "row") return `${number} · ${objectiveWords(info.number)}`;
  const points = t("points", { count: info.points });
  const hard = difficulty(info.number);
  const how = hard === null ? "" : ` · ${t(`web.lobby.difficulty.${hard}`)}`;
  const name = info.name === null ? "" : ` · ${t(`pattern.${info.name}`)}`;
  return `${number}${name} · ${points}${how}`;
}

function ByNumber({ now, onChoose }: { now: Numbers; onChoose: (all: Numbers) => void }): VNode {
  return (
    <div class="by-number">
      {KINDS.map((kind, i) => (
        <label key={kind}>
          <span>{t(`score.${kind}`)}</span>
          <select
            value={now[i]}
            onChange={(event) => {
              const all: Numbers = [...now];
              all[i] = Number(event.currentTarget.value);
              onChoose(all);
            }}
          >
            {boot.objectives
              .filter((each) => each.kind === kind)
              .map((each) => (
                <option key={each.number} value={each.number}>
                  {nameOf(objective(each.number))}
                </option>
              ))}
          </select>
        </label>
      ))}
    </div>
  );
}
