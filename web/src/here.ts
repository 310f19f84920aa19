import type { GuestInfo, TableInfo, ViewMessage } from "./protocol";

/** What the page brings for whoever opens it, so that nobody is asked before a game is shown. */
export interface Here {
  guest: GuestInfo | null;
  table: TableInfo | null;
  /** The own seat at the table, and the token to play there. */
  seat: { seat: number; token: string } | null;
  view: ViewMessage | null;
}

/** What a block of the page says; null where there is none, or it may be of an earlier visit. */
export function readHere(text: string | null | undefined, kind: string | undefined): Here | null {
  // Going back shows the page as the browser has kept it: much may have happened since.
  return text == null || kind === "back_forward" ? null : (JSON.parse(text) as Here);
}

function kindOfVisit(): string | undefined {
  const [visit] = performance.getEntriesByType("navigation");
  return (visit as PerformanceNavigationTiming | undefined)?.type;
}

const here = readHere(document.getElementById("here")?.textContent, kindOfVisit());
let unused = here;

/** The guest whom the page was made for; undefined: it does not say. */
export const guestHere: GuestInfo | null | undefined = here?.guest;

/** What the page says about a table, once: later it is no longer true. */
export function takeHere(table: string): (Here & { table: TableInfo }) | null {
  const found = unused;
  unused = null;
  return found?.table?.table === table ? { ...found, table: found.table } : null;
}
