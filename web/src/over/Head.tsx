import type { ComponentChildren, VNode } from "preact";
import { Menu } from "../menu/Menu";
import type { Link } from "../place";
import { t } from "../words";

const ROUNDS = [0, 1, 2, 3, 4, 5, 6];
/** A sentence with more signs than this needs the room of the pips on a phone. */
const LONG = 18;

interface HeadProps {
  title: string;
  /** Smaller, beside the title, where there is room. */
  more?: string;
  /** How many of the seven rounds are filled. */
  filled: number;
  link?: Link;
  extra?: VNode[];
  children?: ComponentChildren;
}

/** The top of a page about a game: how far it is, one sentence, the connection, the menu. */
export function Head({ title, more, filled, link, extra = [], children }: HeadProps): VNode {
  const online = link === "online";
  return (
    <header class={title.length > LONG ? "over-head long" : "over-head"}>
      <a class="over-logo" href="/" aria-label={t("term.game")}>
        <svg viewBox="0 0 40 32" width="34" height="27" aria-hidden="true">
          <use href="#logo" width="40" height="32" />
        </svg>
        <span>{t("term.game")}</span>
      </a>
      <span class="over-pips" aria-hidden="true">
        {ROUNDS.map((round) => (
          <i key={round} class={round < filled ? "full" : ""} />
        ))}
      </span>
      <h1>{title}</h1>
      {more !== undefined && <span class="over-more">{more}</span>}
      {children}
      {link !== undefined && (
        <span class={online ? "over-link" : "over-link off"}>
          <i aria-hidden="true" />
          <span>{online ? t("web.play.online") : t("web.play.lost")}</span>
        </span>
      )}
      <Menu extra={extra} />
    </header>
  );
}
