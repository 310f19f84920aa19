import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Landing } from "./lobby/Landing";
import { type Page, pageOf, path } from "./route";
import { TableRoute } from "./table/TableRoute";
import { t } from "./words";

type Loader<P> = () => Promise<ComponentType<P>>;

/** A part of the program that is loaded when it is shown for the first time. */
export function Later<P extends object>({ load, props }: { load: Loader<P>; props: P }): VNode {
  const [Part, show] = useState<ComponentType<P> | null>(null);
  useEffect(() => {
    let here = true;
    void load().then((part) => here && show(() => part));
    return () => {
      here = false;
    };
  }, [load]);
  return Part === null ? <div class="loading" aria-busy="true" /> : <Part {...props} />;
}

const loadLobby = async () => (await import("./lobby/Lobby")).Lobby;
const loadRules = async () => (await import("./rules/Rules")).Rules;
const loadReplay = async () => (await import("./replay/ReplayPage")).ReplayPage;

function show(page: Page): VNode {
  switch (page.name) {
    case "landing":
      return <Landing />;
    case "lobby":
      return <Later load={loadLobby} props={{}} />;
    case "rules":
      return <Later load={loadRules} props={{}} />;
    case "replay":
      return <Later key={page.table} load={loadReplay} props={page} />;
    case "table":
      return <TableRoute key={page.table} table={page.table} />;
    case "missing":
      return (
        <main class="page">
          <h1>{t("web.missing.title")}</h1>
          <p>
            <a href="/">{t("web.missing.home")}</a>
          </p>
        </main>
      );
  }
}

/** The whole program: the page of the present path. */
export function App(): VNode {
  return show(pageOf(path.value));
}
