import { settings } from "./settings";
import { t } from "./words";

/** Whether this browser has notices at all: only over a secure connection. */
export const canNotify = (): boolean => "Notification" in globalThis && isSecureContext;

/** Whether notices are wished here, and allowed. */
export function notifies(): boolean {
  return settings.value.notify && canNotify() && Notification.permission === "granted";
}

/** Ask the browser for leave; whether it was given. */
export async function askToNotify(): Promise<boolean> {
  return (await Notification.requestPermission()) === "granted";
}

/** Whether something is news each time it is told: a turn that was not known before, while nobody looks. */
export function turnWatch(): (turn: string | null, hidden: boolean) => boolean {
  let last: string | null | undefined;
  return (turn, hidden) => {
    const fresh = last !== undefined && turn !== null && turn !== last;
    if (turn !== null || last === undefined) last = turn;
    return fresh && hidden;
  };
}

/** Show a notice about a page, if wished, until somebody looks; a newer one takes its place. */
export function notify(body: string, path: string): void {
  if (!notifies()) return;
  const title = t("term.game");
  const options = { body, tag: path, icon: "/icon-192.png", data: path };
  try {
    const notice = new Notification(title, options);
    notice.onclick = () => {
      focus();
      notice.close();
    };
    document.addEventListener("visibilitychange", () => notice.close(), { once: true });
  } catch {
    // Phones show notices only through the service worker.
    void navigator.serviceWorker
      ?.getRegistration()
      .then((worker) => worker?.showNotification(title, options))
      .catch(() => undefined);
  }
}
