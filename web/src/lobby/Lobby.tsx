import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { whoAmI } from "../identity";
import { sentenceOf } from "../menu/trouble";
import { t } from "../words";
import { Head } from "./Head";
import { inOrder } from "./lists";
import { withFriends } from "./start";
import { EnterCode, loadTables, mine, PublicTables, TableLine } from "./Tables";

/** All tables: one's own, those that wait first, and public ones. */
export function Lobby(): VNode {
  const [trouble, setTrouble] = useState("");
  const look = (): void => {
    setTrouble("");
    whoAmI()
      .then((known) => loadTables(known !== null))
      .catch((error: unknown) => setTrouble(sentenceOf(error)));
  };
  useEffect(() => {
    document.title = `${t("web.menu.tables")} · ${t("term.game")}`;
    look();
  }, []);
  const own = inOrder(mine.value ?? []);

  function make(): void {
    setTrouble("");
    withFriends().catch((error: unknown) => setTrouble(sentenceOf(error)));
  }

  return (
    <div class="lobby">
      <Head title={t("web.menu.tables")} />
      <main class="page lobby-page">
        <div class="buttons">
          <button type="button" class="button main" onClick={make}>
            {t("web.lobby.make")}
          </button>
          <button type="button" class="button" onClick={look}>
            {t("web.lobby.again")}
          </button>
        </div>
        <p class="refusal" role="alert">
          {trouble}
        </p>
        <section class="box">
          <h2>{t("web.lobby.mine")}</h2>
          {own.length === 0 && <p class="note">{t("web.lobby.mine.none")}</p>}
          <ul class="table-list">
            {own.map((table) => (
              <TableLine key={table.table} table={table} ends />
            ))}
          </ul>
        </section>
        <PublicTables />
        <EnterCode />
      </main>
    </div>
  );
}
