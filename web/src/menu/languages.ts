import type { Language } from "../protocol";
import { change } from "../settings";
import { speak } from "../words";

/** Every language in its own words. */
export const NAMES: Record<Language, string> = {
  de: "Deutsch",
  en: "English",
  fr: "Français",
  it: "Italiano",
  pt: "Português",
};

/** Speak a language from now on, also at the next visit. */
export function choose(wanted: Language): void {
  change({ language: wanted });
  void speak(wanted);
}
