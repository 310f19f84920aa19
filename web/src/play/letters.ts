/** What single letters do, with the usual ones. */
export const USUAL = {
  turn: "f",
  exchange: "x",
  swap: "s",
  others: "o",
  objectives: "t",
  preview: "v",
  board: "b",
  options: "l",
} as const;

export type Deed = keyof typeof USUAL;
export type Letters = Record<Deed, string>;

export const DEEDS = Object.keys(USUAL) as Deed[];

/** The letter that a text is, as keys are compared; null: it is not exactly one letter. */
export function letterIn(text: string): string | null {
  const letter = text.trim().toLowerCase();
  return /^\p{L}$/u.test(letter) ? letter : null;
}

/** The letters of now: the usual ones, apart from those that were chosen. */
export function lettersOf(chosen: Partial<Letters>): Letters {
  return { ...USUAL, ...chosen };
}

/** What a letter does; undefined: nothing. */
export function deedOf(letter: string, letters: Letters): Deed | undefined {
  return DEEDS.find((deed) => letters[deed] === letter);
}

/** A letter as it is written on a key. */
export function written(letter: string): string {
  const large = letter.toUpperCase();
  return large.length === letter.length ? large : letter;
}

/** All letters as they are written on keys. */
export function writtenAll(letters: Letters): Letters {
  const all = DEEDS.map((deed) => [deed, written(letters[deed])]);
  return Object.fromEntries(all) as Letters;
}
