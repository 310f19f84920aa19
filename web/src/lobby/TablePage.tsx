import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { patch } from "../api";
import { sentenceOf } from "../menu/trouble";
import type { Settings, TableInfo } from "../protocol";
import { go } from "../route";
import { keep } from "../settings";
import type { AtTable } from "../table/TableRoute";
import { t } from "../words";
import { Agreed } from "./Agreed";
import { Head } from "./Head";
import { Invitation } from "./Invitation";
import { Join, SeveralHere } from "./Join";
import { Objectives } from "./Objectives";
import { Seats } from "./Seats";
import { deed } from "./start";
import "./table.css";

/** What can be done at a table that waits; every part of the page does it through this. */
export interface Doing {
  /** An action of the table, over the place of this device that may do it. */
  act: (action: string) => Promise<void>;
  change: (settings: Partial<Settings>) => Promise<void>;
  /** Do something, and show what was refused. */
  attempt: (what: () => Promise<unknown>) => void;
}

/** The page of a table that waits for its players. */
export function TablePage({ locals, join }: AtTable): VNode {
  const [trouble, setTrouble] = useState("");
  const first = locals[0];
  const info = first?.place.table.value ?? null;
  const title = info === null ? "" : titleOf(info);
  useEffect(() => {
    document.title = `${title} · ${t("term.game")}`;
  }, [title]);
  if (first === undefined || info === null) return <div class="loading" aria-busy="true" />;

  const mine = locals.flatMap(({ sitting }) => (sitting === null ? [] : [sitting.seat]));
  const own = locals.find(({ sitting }) => sitting !== null);
  const host = info.host !== null && info.host === own?.sitting?.seat;
  const doing: Doing = {
    act: async (action) => {
      if (own === undefined) await deed(info.table, action);
      else await own.place.act(action);
    },
    change: async (settings) => {
      await patch(`/api/tables/${info.table}`, { ...info.settings, ...settings });
    },
    attempt: (what) => {
      setTrouble("");
      what().catch((error: unknown) => setTrouble(sentenceOf(error)));
    },
  };

  function leave(action: "leave" | "close"): void {
    doing.attempt(async () => {
      await doing.act(action);
      for (const seat of mine) keep(`sideboards.seat.${info?.table}.${seat}`, null);
      go("/");
    });
  }

  const online = first.place.link.value === "online";
  const why = first.place.why.value;
  const offline = why === null ? t("web.lobby.offline") : t(`refusal.${why}`);
  if (info.started)
    return (
      <div class="table-page">
        <Head title={title} />
        <main class="page">
          <p role="status">{t("web.lobby.shuffling")}</p>
        </main>
      </div>
    );
  return (
    <div class="table-page">
      <Head title={title}>
        <span class={online ? "link-state online" : "link-state"} role="status">
          {online ? t("web.lobby.online") : offline}
        </span>
      </Head>
      <main>
        <div class="table-columns">
          <div>
            <Join info={info} mine={mine} join={join} doing={doing} />
            {host && <Invitation info={info} />}
            <Seats info={info} mine={mine} host={host} doing={doing} />
            {!host && <Invitation info={info} />}
            {mine.length > 0 && <SeveralHere info={info} join={join} doing={doing} />}
          </div>
          <div>
            <Objectives info={info} host={host} doing={doing} />
            <Agreed info={info} host={host} doing={doing} />
            {mine.length > 0 && <Leaving host={host} leave={leave} />}
          </div>
        </div>
        <p class="refusal" role="alert">
          {trouble}
        </p>
        {mine.length > 0 && <Start info={info} host={host} doing={doing} />}
      </main>
    </div>
  );
}

function titleOf(info: TableInfo): string {
  const name = info.host === null ? null : info.seats[info.host]?.name;
  return name == null ? t("web.lobby.table") : t("web.lobby.table.of", { name });
}

interface StartProps {
  info: TableInfo;
  host: boolean;
  doing: Doing;
}

/** The one filled button: it says what is missing. */
function Start({ info, host, doing }: StartProps): VNode {
  const [starting, setStarting] = useState(false);
  const free = info.seats.filter((seat) => seat.kind === "empty").length;
  const name = info.host === null ? null : info.seats[info.host]?.name;
  if (!host)
    return (
      <footer class="start-bar">
        <p role="status">
          {name == null ? t("web.lobby.start.somebody") : t("web.lobby.start.host", { name })}
        </p>
      </footer>
    );
  return (
    <footer class="start-bar">
      {free > 0 && <p id="start-why">{t("web.lobby.start.free")}</p>}
      <button
        type="button"
        class="button main start"
        disabled={free > 0 || starting}
        aria-describedby={free > 0 ? "start-why" : undefined}
        onClick={() =>
          doing.attempt(async () => {
            setStarting(true);
            await doing.act("start").finally(() => setStarting(false));
          })
        }
      >
        {t("web.lobby.start")}
      </button>
    </footer>
  );
}

interface LeavingProps {
  host: boolean;
  leave: (action: "leave" | "close") => void;
}

/** The ways out; the host is asked before everybody has to go. */
function Leaving({ host, leave }: LeavingProps): VNode {
  const [asking, ask] = useState(false);
  if (asking)
    return (
      <fieldset class="asking ways-out">
        <legend>{t("web.lobby.shut.ask")}</legend>
        <div class="buttons">
          <button type="button" class="button" onClick={() => leave("close")}>
            {t("web.lobby.shut")}
          </button>
          <button type="button" class="button" onClick={() => ask(false)}>
            {t("web.lobby.shut.no")}
          </button>
        </div>
      </fieldset>
    );
  return (
    <div class="buttons ways-out">
      <button type="button" class="button quiet" onClick={() => leave("leave")}>
        {t("web.lobby.leave")}
      </button>
      {host && (
        <button type="button" class="button quiet" onClick={() => ask(true)}>
          {t("web.lobby.shut")}
        </button>
      )}
    </div>
  );
}
