import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { AtTable } from "../table/TableRoute";
import { language, t } from "../words";
import { Abandoned } from "./Abandoned";
import { Finale } from "./Finale";
import type { Result } from "./result";
import { SoloEnd } from "./SoloEnd";
import { namesAt, type Scene, useLoaded } from "./scene";
import "./styles";

/** A table whose game is over: the counting, the result, and what one can do now. */
export function Over({ locals }: AtTable): VNode {
  const [first] = locals;
  const info = first?.place.table.value ?? null;
  const view = first?.place.view.value ?? null;
  const finished = info?.phase === "finished" && view !== null;
  const path = `/api/tables/${info?.table}/score?language=${language.value}`;
  useEffect(() => {
    document.title = `${t("web.over.result")} · ${t("term.game")}`;
  }, [language.value]);
  const [state, again] = useLoaded<Result>(finished ? path : null);
  if (first === undefined || info === null) return <div class="loading" aria-busy="true" />;
  if (info.phase === "abandoned") return <Abandoned info={info} view={view} />;
  if (view === null || state === null) return <div class="loading" aria-busy="true" />;
  if ("refused" in state)
    return (
      <main class="page">
        <p role="alert">{state.refused}</p>
        <button type="button" class="button" onClick={again}>
          {t("web.over.retry")}
        </button>
      </main>
    );
  const people = locals.flatMap(({ sitting }) => sitting ?? []);
  const own = people.length === 1 ? (people[0]?.seat ?? null) : null;
  const scene: Scene = {
    info,
    view,
    result: state.found,
    own,
    people,
    names: namesAt(info, own),
  };
  return view.mode === "solo" ? (
    <SoloEnd scene={scene} place={first.place} />
  ) : (
    <Finale scene={scene} place={first.place} />
  );
}
