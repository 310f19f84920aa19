import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../api";
import type { TableInfo } from "../protocol";
import { go } from "../route";
import { listed, t } from "../words";
import { sentenceOf } from "./scene";

/** When to look who waits for a rematch: whoever asks for it sits down a moment later. */
const LOOKS = [0, 1500, 4000, 10_000];

interface DoProps {
  words: string;
  main?: boolean;
  todo: () => Promise<void>;
  onRefused: (sentence: string) => void;
}

/** A button that takes a moment; while it works it is inert, and a refusal is told. */
export function Do({ words, main, todo, onRefused }: DoProps): VNode {
  const [busy, setBusy] = useState(false);
  return (
    <button
      type="button"
      class={main ? "button main" : "button"}
      disabled={busy}
      onClick={() => {
        setBusy(true);
        todo()
          .catch((error: unknown) => onRefused(sentenceOf(error)))
          .finally(() => setBusy(false));
      }}
    >
      {words}
    </button>
  );
}

/** The way to the list of tables. */
export function LobbyLink(): VNode {
  return (
    <a
      class="button"
      href="/lobby"
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        go("/lobby");
      }}
    >
      {t("web.over.lobby")}
    </a>
  );
}

/** Who waits at the table of the rematch; nothing while there is none. */
export function Invitation(props: { info: TableInfo; own: number | null }): VNode | null {
  const { next } = props.info;
  const [table, setTable] = useState<TableInfo | null>(null);
  useEffect(() => {
    if (next === null) return;
    const ask = () => get<TableInfo>(`/api/tables/${next}`).then(setTable, () => undefined);
    const timers = LOOKS.map((after) => setTimeout(() => void ask(), after));
    return () => timers.forEach(clearTimeout);
  }, [next]);
  if (next === null || table === null || table.phase === "abandoned") return null;
  const others = table.seats.flatMap((each, seat) =>
    each.kind === "person" && each.name !== null && seat !== props.own ? [each.name] : [],
  );
  return (
    <p class="over-invitation" role="status">
      {others.length === 0
        ? t("web.over.invited.open")
        : t("web.over.invited", { count: others.length, names: listed(others) })}
    </p>
  );
}

interface BarProps {
  /** Whether all is counted. */
  told: boolean;
  next: () => void;
  skip: () => void;
  /** What can be done when all is counted. */
  children: ComponentChildren;
}

/** The lowest bar: on with the counting, then what can be done. */
export function Bar({ told, next, skip, children }: BarProps): VNode {
  return (
    <footer class="over-bar">
      {told ? (
        children
      ) : (
        <>
          <button type="button" class="button" onClick={skip}>
            {t("web.over.skip")}
          </button>
          <button type="button" class="button main" onClick={next}>
            {t("web.over.next")}
          </button>
        </>
      )}
    </footer>
  );
}
