import { go } from "../route";

/** Where reading and the keyboard go on after another page is shown; nothing that has the focus loses it. */
export function settle(where: string): void {
  setTimeout(() => {
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    const found = document.querySelector<HTMLElement>(where);
    if (found === null) return;
    if (!found.hasAttribute("tabindex") && found.tabIndex < 0) found.tabIndex = -1;
    found.focus({ preventScroll: true });
  });
}

/** Show another page, and go on at its title. */
export function visit(to: string): void {
  go(to);
  settle("h1");
}

/** Whether a click on a link is meant for this window. */
export function stays(event: MouseEvent): boolean {
  return event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
}
