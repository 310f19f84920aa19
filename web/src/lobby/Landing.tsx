import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { whoAmI } from "../identity";
import { restart } from "../tutorial/seen";
import { t } from "../words";
import { Doors } from "./Doors";
import { Head } from "./Head";
import { PracticeTable } from "./PracticeTable";
import { practice } from "./practice";
import { Showroom } from "./Showroom";
import { hasPlayed } from "./start";
import { EnterCode, loadTables, Onward, PublicTables } from "./Tables";

/** The first page: newcomers find a dealt table, others what they were doing. */
export function Landing(): VNode {
  const [newcomer, setNewcomer] = useState(!hasPlayed() && practice !== null);
  const [trouble, setTrouble] = useState("");
  useEffect(() => {
    document.title = t("term.game");
    whoAmI()
      .then((known) => loadTables(known !== null))
      .catch(() => undefined);
  }, []);

  function showTips(): void {
    restart();
    setNewcomer(practice !== null);
  }

  return (
    <div class={newcomer ? "landing newcomer" : "landing"}>
      <Head>
        <button
          type="button"
          class="question-mark"
          aria-label={t("web.lobby.tips")}
          onClick={showTips}
        >
          ?
        </button>
      </Head>
      <main>
        <h1 class="hidden-text">{t("term.game")}</h1>
        {newcomer && practice !== null ? (
          <PracticeTable deal={practice} onTrouble={setTrouble} />
        ) : (
          <Showroom />
        )}
        <div class="landing-side">
          <Onward />
          <Doors trouble={trouble} onTrouble={setTrouble} />
          <div class="landing-more">
            <PublicTables most={4} />
            <EnterCode />
          </div>
        </div>
      </main>
    </div>
  );
}
