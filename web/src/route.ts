import { signal } from "@preact/signals";

/** The path that is shown. */
export const path = signal(location.pathname);

/** Show another page; `replace` leaves no step in the history. */
export function go(to: string, replace = false): void {
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  path.value = location.pathname;
  scrollTo(0, 0);
}

addEventListener("popstate", () => {
  path.value = location.pathname;
});

/** The page of a path, and what its parts say. */
export type Page =
  | { name: "landing" }
  | { name: "lobby" }
  | { name: "rules" }
  | { name: "table"; table: string }
  | { name: "replay"; table: string; round: number }
  | { name: "missing" };

/** Which page a path asks for. */
export function pageOf(asked: string): Page {
  const [first, second, third, fourth, ...rest] = asked.split("/").filter(Boolean);
  if (first === undefined) return { name: "landing" };
  if (rest.length > 0) return { name: "missing" };
  if ((first === "lobby" || first === "rules") && second === undefined) return { name: first };
  if (first === "t" && second !== undefined) {
    if (third === undefined) return { name: "table", table: second };
    if (third === "replay") return { name: "replay", table: second, round: Number(fourth ?? 0) };
  }
  return { name: "missing" };
}
