import type { VNode } from "preact";
import type { TableInfo, ViewInfo } from "../protocol";
import { t } from "../words";
import { LobbyLink } from "./Buttons";
import { Deal } from "./Deal";
import { Head } from "./Head";

/** A table that was given up: there is no result, and what is open now. */
export function Abandoned({ info, view }: { info: TableInfo; view: ViewInfo | null }): VNode {
  const dealt = view !== null;
  return (
    <main class="over-page plain">
      <Head title={t("web.over.abandoned")} filled={view?.public.round ?? 0} />
      <div class="page">
        <p>{dealt ? t("web.over.abandoned.dealt") : t("web.over.abandoned.early")}</p>
        {dealt && (
          <p class="over-links">
            <a href={`/t/${info.table}/replay/0`}>{t("web.over.replay")}</a>
            <Deal table={info.table} practice={info.settings.practice !== null} />
          </p>
        )}
        <p>
          <LobbyLink />
        </p>
      </div>
    </main>
  );
}
