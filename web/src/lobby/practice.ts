import { boot } from "../boot";

/** The first table of a newcomer: its objectives, and the cards of the first seat. */
export interface Practice {
  objectives: [number, number, number];
  hand: number[];
}

const FIRST_HAND = 3;

/** What the record of a deal shows to the first seat; null for what is no record. */
export function practiceOf(record: string): Practice | null {
  const numbers = (name: string): number[] => {
    const line = new RegExp(`^${name}: ([\\d ,]+)$`, "m").exec(record)?.[1] ?? "";
    return Array.from(line.matchAll(/\d+/g), ([digits]) => Number(digits));
  };
  const [color, handle, row] = numbers("objectives");
  const hand = numbers("deck").slice(0, FIRST_HAND);
  if (color === undefined || handle === undefined || row === undefined) return null;
  return hand.length < FIRST_HAND ? null : { objectives: [color, handle, row], hand };
}

export const practice: Practice | null = practiceOf(boot.practice);
