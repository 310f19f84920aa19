import { effect, type Signal, signal } from "@preact/signals";
import type { Letters } from "./play/letters";

/** What is kept on this device. */
export interface Kept {
  theme: "auto" | "light" | "dark";
  textures: "subtle" | "strong" | "off";
  speed: "normal" | "fast" | "none";
  sound: boolean;
  leftHanded: boolean;
  /** Whether letters, digits and signs alone do something. */
  keys: boolean;
  /** Other letters than the usual ones, by what they do. */
  letters: Partial<Letters>;
  /** How much help one wants at most. */
  assist: 0 | 1 | 2 | 3;
  language: string | null;
  knowsRules: boolean;
  phrases: boolean;
  /** Which end a card was laid at last: the default, so that it is no hint. */
  end: "left" | "right";
  notify: boolean;
}

const NAME = "sideboards.settings";
const DEFAULTS: Kept = {
  theme: "auto",
  textures: "subtle",
  speed: "normal",
  sound: true,
  leftHanded: false,
  keys: true,
  letters: {},
  assist: 3,
  language: null,
  knowsRules: false,
  phrases: true,
  end: "right",
  notify: false,
};

/** The value kept under a name, or null: also where the browser keeps nothing. */
export function recall<T>(name: string): T | null {
  try {
    const text = localStorage.getItem(name);
    return text === null ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}

/** Keep a value under a name; without effect where the browser keeps nothing. */
export function keep(name: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Private windows may refuse; everything works without.
  }
}

export const settings: Signal<Kept> = signal({ ...DEFAULTS, ...recall<Partial<Kept>>(NAME) });

/** Change some settings; they are kept and applied at once. */
export function change(some: Partial<Kept>): void {
  settings.value = { ...settings.value, ...some };
}

const darkSystem = matchMedia("(prefers-color-scheme: dark)");
darkSystem.addEventListener("change", () => change({}));

effect(() => {
  const now = settings.value;
  keep(NAME, now);
  const root = document.documentElement.dataset;
  const dark = now.theme === "dark" || (now.theme === "auto" && darkSystem.matches);
  root.theme = dark ? "dark" : "light";
  root.textures = now.textures;
  root.speed = now.speed;
  root.hand = now.leftHanded ? "left" : "right";
});
