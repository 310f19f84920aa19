const MOVE = /^\d \S+$/;
const SEATS = /^seats: (\d)$/m;
const PLAYER = /^player \d: /;

/** A game record without its names, cut before a round: the same deal, and what was played until then. */
export function cutBefore(record: string, round: number): string {
  const seats = Number(SEATS.exec(record)?.[1] ?? 1);
  const kept: string[] = [];
  let choices = 0;
  for (const line of record.split("\n")) {
    if (line === "" || PLAYER.test(line)) continue;
    if (MOVE.test(line)) {
      if (choices >= round * seats) break;
      if (!line.endsWith(" swap")) choices += 1;
    }
    kept.push(line);
  }
  return `${kept.join("\n")}\n`;
}
