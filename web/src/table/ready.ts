import type { Local } from "./TableRoute";

const ready = new Map<string, Local[]>();

/** Hand over places that are taken already, so that the table is shown at once. */
export function handOver(table: string, locals: Local[]): void {
  ready.set(table, locals);
}

/** The places that were handed over for a table, once. */
export function takeOver(table: string): Local[] | undefined {
  const found = ready.get(table);
  ready.delete(table);
  return found;
}
