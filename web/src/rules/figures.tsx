import type { VNode } from "preact";
import { t } from "../words";

const BONUS: [string, number[]][] = [
  ["2", [4]],
  ["3", [8, 4]],
  ["4–6", [8, 4, 2]],
];
const STEPS = [
  { key: "one", lengths: [4, 6, 8] },
  { key: "two", lengths: [7, 9, 11] },
] as const;
const SOLO = [2, 4, 8];
const TIERS = [55, 45, 35, 25];

/** What the longest rows get, by the number of players. */
export function BonusTable(): VNode {
  return (
    <table class="figures">
      <thead>
        <tr>
          <th scope="col">{t("web.rules.players")}</th>
          {[1, 2, 3].map((place) => (
            <th key={place} scope="col">
              {t(`web.rules.longest.${place}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {BONUS.map(([players, points]) => (
          <tr key={players}>
            <th scope="row">{players}</th>
            {[0, 1, 2].map((place) => (
              <td key={place}>{points[place] ?? "–"}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What rows bring to somebody who plays alone. */
export function SoloBonus(): VNode {
  return (
    <table class="figures">
      <thead>
        <tr>
          <th scope="col">{t("web.rules.solo.bonus")}</th>
          {SOLO.map((points) => (
            <th key={points} scope="col">
              +{points}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {STEPS.map(({ key, lengths }) => (
          <tr key={key}>
            <th scope="row">{t(`web.rules.solo.${key}`)}</th>
            {lengths.map((count) => (
              <td key={count}>{t("web.rules.solo.least", { count })}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The titles of a solo game. */
export function Titles(): VNode {
  const range = (tier: number): string => {
    const [least, above] = [TIERS[tier], TIERS[tier - 1]];
    if (above === undefined) return t("web.rules.solo.more", { points: least ?? 0 });
    if (least === undefined) return t("web.rules.solo.upto", { points: above - 1 });
    return `${least}–${above - 1}`;
  };
  return (
    <table class="figures">
      <thead>
        <tr>
          <th scope="col">{t("web.rules.solo.points")}</th>
          <th scope="col">{t("web.rules.solo.title")}</th>
        </tr>
      </thead>
      <tbody>
        {[0, 1, 2, 3, 4].map((tier) => (
          <tr key={tier}>
            <td>{range(tier)}</td>
            <td>{t(`title.${tier + 1}`)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
