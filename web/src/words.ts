import { signal } from "@preact/signals";
import { boot, type Texts } from "./boot";
import type { Language } from "./protocol";

export type Places = Record<string, string | number>;

/** The language that everything is written in; views that read it are drawn anew. */
export const language = signal<Language>(boot.language);
const catalogues: Partial<Record<Language, Texts>> = { [boot.language]: boot.words };

/** Plural forms and joined lists of a language: to make one takes longer than to use it often. */
const plurals = new Map<string, Intl.PluralRules>();
const lists = new Map<string, Intl.ListFormat>();

/** The plural form that a number has in a language; `ordinal`: "2nd". */
export function formOf(spoken: string, value: number, type: "cardinal" | "ordinal"): string {
  const key = `${spoken} ${type}`;
  const rules = plurals.get(key) ?? new Intl.PluralRules(spoken, { type });
  plurals.set(key, rules);
  return rules.select(value);
}

/** A text in a catalogue, with its places filled; plural forms go by `count`. */
export function fill(texts: Texts, spoken: string, key: string, places: Places = {}): string {
  const found = texts[key];
  if (found === undefined) throw new Error(`there is no text ${key}`);
  let text: string;
  if (typeof found === "string") text = found;
  else {
    const form = formOf(spoken, Number(places.count), "cardinal");
    text = found[form] ?? found.other ?? "";
  }
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(places[name] ?? `{${name}}`));
}

/** The text of a key in the present language. */
export function t(key: string, places?: Places): string {
  const spoken = language.value;
  return fill(catalogues[spoken] ?? boot.words, spoken, key, places);
}

/** Whether there is a text of this key. */
export function has(key: string): boolean {
  return (catalogues[language.value] ?? boot.words)[key] !== undefined;
}

/** Several names or parts as the language joins them: "Ana, Ben and Cleo". */
export function listed(parts: string[]): string {
  const spoken = language.value;
  const list = lists.get(spoken) ?? new Intl.ListFormat(spoken, { type: "conjunction" });
  lists.set(spoken, list);
  return list.format(parts);
}

/** A number as the language writes it, with a sign if it is a difference. */
export function number(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(language.value, options).format(value);
}

/** A difference with its sign: "+6", "−2", "+0". */
export function signed(value: number): string {
  return value < 0 ? `−${-value}` : `+${value}`;
}

/** Speak another language from now on. */
export async function speak(wanted: Language): Promise<void> {
  if (catalogues[wanted] === undefined) {
    const answer = await fetch(`/api/words/${wanted}`).catch(() => null);
    if (answer?.ok !== true) return;
    catalogues[wanted] = (await answer.json()) as Texts;
  }
  language.value = wanted;
  document.documentElement.lang = wanted;
}
