import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { askToNotify, canNotify, notifies, notify, turnWatch } from "./notify";
import { change } from "./settings";

/** What a browser offers: how it answers, and what it has shown. */
class Browser {
  static permission = "default";
  static answer = "granted";
  static shown: { title: string; body: string; tag: string }[] = [];
  static requestPermission(): Promise<string> {
    Browser.permission = Browser.answer;
    return Promise.resolve(Browser.answer);
  }
  constructor(title: string, { body, tag }: { body: string; tag: string }) {
    Browser.shown.push({ title, body, tag });
  }
}

beforeEach(() => {
  vi.stubGlobal("Notification", Browser);
  vi.stubGlobal("isSecureContext", true);
  Browser.permission = "default";
  Browser.answer = "granted";
  Browser.shown = [];
  change({ notify: false });
});
afterEach(() => vi.unstubAllGlobals());

test("a turn is news once, and only while nobody looks", () => {
  const watch = turnWatch();
  expect(watch(null, true)).toBe(false);
  expect(watch("0.0", true)).toBe(true);
  expect(watch("0.0", true)).toBe(false);
  expect(watch(null, true)).toBe(false);
  expect(watch("0.0", true)).toBe(false);
  expect(watch("0.1", false)).toBe(false);
  expect(watch("0.1", true)).toBe(false);
  expect(watch("0.2", true)).toBe(true);
});

test("a turn that was there when the page came is no news", () => {
  const watch = turnWatch();
  expect(watch("0.3", true)).toBe(false);
  expect(watch("0.4", true)).toBe(true);
});

test("nothing is offered without a secure connection, or where a browser has none", () => {
  expect(canNotify()).toBe(true);
  vi.stubGlobal("isSecureContext", false);
  expect(canNotify()).toBe(false);
  vi.unstubAllGlobals();
  vi.stubGlobal("isSecureContext", true);
  expect(canNotify()).toBe(false);
  notify("Your turn", "/t/A");
});

test("a notice is shown only if it is wished and allowed", async () => {
  notify("Your turn", "/t/A");
  change({ notify: true });
  notify("Your turn", "/t/A");
  expect(Browser.shown).toEqual([]);
  expect(await askToNotify()).toBe(true);
  expect(notifies()).toBe(true);
  notify("Your turn", "/t/A");
  expect(Browser.shown).toEqual([{ title: "Sideboards", body: "Your turn", tag: "/t/A" }]);
  change({ notify: false });
  notify("Your turn", "/t/A");
  expect(Browser.shown.length).toBe(1);
});

test("a refusal of the browser counts", async () => {
  Browser.answer = "denied";
  expect(await askToNotify()).toBe(false);
  change({ notify: true });
  expect(notifies()).toBe(false);
});

test("where only the service worker may show notices, it does", async () => {
  const shown: unknown[] = [];
  const worker = { showNotification: (...all: unknown[]) => Promise.resolve(shown.push(all)) };
  class Phone extends Browser {
    constructor(title: string, options: { body: string; tag: string }) {
      super(title, options);
      throw new TypeError("Illegal constructor");
    }
  }
  vi.stubGlobal("Notification", Phone);
  vi.stubGlobal("navigator", {
    serviceWorker: { getRegistration: () => Promise.resolve(worker) },
  });
  await askToNotify();
  Phone.permission = "granted";
  change({ notify: true });
  notify("Your turn", "/t/A");
  await vi.waitFor(() => expect(shown.length).toBe(1));
  expect(shown[0]).toMatchObject(["Sideboards", { body: "Your turn", data: "/t/A" }]);
});
