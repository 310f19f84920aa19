import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, Refusal } from "../api";
import { Later } from "../app";
import { takeHere } from "../here";
import { whoAmI } from "../identity";
import { type Place, takePlace } from "../place";
import { Play } from "../play/Play";
import type { TableInfo } from "../protocol";
import { settings } from "../settings";
import { playAt, type Sitting, seatedAt, seatOf, sittingsAt } from "../sitting";
import { t } from "../words";
import { takeOver } from "./ready";
import { useTurn } from "./turn";

/** Somebody's place at the table on this device: a seat, or with null a spectator. */
export interface Local {
  sitting: Sitting | null;
  place: Place;
}

export interface AtTable {
  /** All places of this device; several when people share it. */
  locals: Local[];
  /** Sit down, or add another place of this device. */
  join: (sitting: Sitting) => void;
}

const loadTablePage = async () => (await import("../lobby/TablePage")).TablePage;
const loadOver = async () => (await import("../over/Over")).Over;

/** The seats of this device, as they were kept, that are still somebody's. */
function keptAt(info: TableInfo): Sitting[] {
  return sittingsAt(info.table).filter((each) => info.seats[each.seat]?.kind === "person");
}

/** The places of this device if the page itself has brought the table. */
function fromPage(table: string): Local[] | undefined {
  const found = takeHere(table);
  if (found === null) return undefined;
  const { table: info, seat } = found;
  const assist = settings.value.assist;
  // The view was made with points; who wants no help does not see them even for a moment.
  const begun = { table: info, view: assist > 0 ? found.view : null };
  const kept = keptAt(info);
  if (kept.length === 0) {
    if (seat !== null) kept.push(seatedAt({ ...seat, table: info }, ""));
    else {
      const watching = { table, token: null, assist };
      return [{ sitting: null, place: takePlace(watching, () => undefined, begun) }];
    }
  }
  return kept.map((sitting) => {
    const own = sitting.seat === seat?.seat ? begun : { table: info, view: null };
    return { sitting, place: playAt(sitting, assist, own) };
  });
}

/** Find out which seats of a table belong to this device. */
async function find(table: string): Promise<Local[]> {
  const info = await get<TableInfo>(`/api/tables/${table}`);
  const assist = settings.value.assist;
  const kept = keptAt(info);
  if (kept.length > 0) return kept.map((sitting) => ({ sitting, place: playAt(sitting, assist) }));
  const sitting = (await whoAmI()) === null ? null : await seatOf(info);
  if (sitting !== null) return [{ sitting, place: playAt(sitting, assist) }];
  return [{ sitting: null, place: takePlace({ table, token: null, assist }, () => undefined) }];
}

/** A table, in whichever phase it is. */
export function TableRoute({ table }: { table: string }): VNode {
  const [brought] = useState(() => takeOver(table) ?? fromPage(table));
  const [locals, setLocals] = useState<Local[]>(brought ?? []);
  const [refusal, setRefusal] = useState<string | null>(null);
  useEffect(() => {
    let here = true;
    let opened: Local[] = brought ?? [];
    const finding = brought === undefined ? find(table) : Promise.resolve(brought);
    finding.then(
      (found) => {
        opened = found;
        if (here) setLocals(found);
        else for (const local of found) local.place.close();
      },
      (error: unknown) => setRefusal(error instanceof Refusal ? error.message : t("web.offline")),
    );
    return () => {
      here = false;
      for (const local of opened) local.place.close();
    };
  }, [table]);

  function join(sitting: Sitting): void {
    const place = playAt(sitting, settings.value.assist);
    setLocals((before) => {
      const seated = before.filter((local) => local.sitting !== null);
      for (const local of before) if (local.sitting === null) local.place.close();
      return [...seated, { sitting, place }];
    });
  }

  const first = locals[0];
  if (refusal !== null) return <Trouble sentence={refusal} />;
  if (first === undefined) return <Frame />;
  return <AtTableView locals={locals} join={join} first={first} />;
}

function AtTableView({ locals, join, first }: AtTable & { first: Local }): VNode {
  useTurn(locals);
  const info = first.place.table.value;
  const view = first.place.view.value;
  const end = first.place.end.value;
  if (end !== null)
    return <Trouble sentence={end.sentence} reload={end.code === "wrong_protocol"} />;
  if (info === null) return <Frame />;
  if (view === null && info.phase === "waiting")
    return <Later load={loadTablePage} props={{ locals, join }} />;
  if (info.phase === "finished" || info.phase === "abandoned")
    return <Later load={loadOver} props={{ locals, join }} />;
  if (view === null) return <Frame />;
  return <Play locals={locals} join={join} />;
}

/** The play screen before anything is known of the game: its status line, and what it waits for. */
function Frame(): VNode {
  return (
    <main class="play phone" aria-busy="true">
      <header class="status">
        <p class="say">
          <strong>{t("web.play.connecting")}</strong>
        </p>
      </header>
    </main>
  );
}

/** Why a table cannot be shown, and the way home. */
function Trouble({ sentence, reload = false }: { sentence: string; reload?: boolean }): VNode {
  return (
    <main class="page">
      <h1>{t("term.game")}</h1>
      <p role="alert">{sentence}</p>
      {reload && (
        <p>
          <button type="button" class="button main" onClick={() => location.reload()}>
            {t("web.play.reload")}
          </button>
        </p>
      )}
      <p>
        <a class="button" href="/">
          {t("web.missing.home")}
        </a>
      </p>
    </main>
  );
}
