import { readFileSync } from "node:fs";

// What a page brings along, made of the same data, for tests of the parts that need no screen.
const data = new URL("../src/sideboards/data/", import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(name, data), "utf8"));
const edition = read("edition.json");
const boot = {
  language: "en",
  words: read("lang/en.json"),
  cards: Object.values(edition.cards),
  objectives: edition.objectives.map((each: Record<string, unknown>) => ({
    points: 2,
    name: null,
    forms: [],
    runs: null,
    only: null,
    rows: [],
    of: each.kind,
    ...each,
  })),
  suggestions: edition.suggestions,
  edition: "",
  bots: [],
  practice: "",
  room: null,
  version: "0",
};
const kept = new Map<string, string>();

Object.assign(globalThis, {
  document: {
    getElementById: (id: string) => (id === "boot" ? { textContent: JSON.stringify(boot) } : null),
    documentElement: { dataset: {}, lang: "en" },
    addEventListener: () => undefined,
  },
  localStorage: {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  },
  matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
  location: { pathname: "/", href: "http://localhost/" },
  addEventListener: () => undefined,
  innerWidth: 360,
  innerHeight: 640,
});
