import type { ComponentChildren, VNode } from "preact";
import { Menu } from "../menu/Menu";
import { stays, visit } from "../menu/visit";
import { t } from "../words";
import "./lobby.css";

interface HeadProps {
  /** Beside the menu. */
  children?: ComponentChildren;
  extra?: VNode[];
  /** Instead of the wordmark. */
  title?: string;
}

/** A link within the program; it opens elsewhere like any link. */
export function Way(props: { to: string; class?: string; children: ComponentChildren }): VNode {
  return (
    <a
      class={props.class}
      href={props.to}
      onClick={(event) => {
        if (!stays(event)) return;
        event.preventDefault();
        visit(props.to);
      }}
    >
      {props.children}
    </a>
  );
}

/** The sign of the game. */
export function Logo(): VNode {
  return (
    <svg class="logo" viewBox="0 0 40 32" width="30" height="24" aria-hidden="true">
      <use href="#logo" />
    </svg>
  );
}

/** The top of every page but the play screen. */
export function Head({ children, extra, title }: HeadProps): VNode {
  return (
    <header class="top">
      <Way to="/" class="wordmark">
        <Logo />
        <span class={title === undefined ? "" : "hidden-text"}>{t("term.game")}</span>
      </Way>
      {title !== undefined && <h1 class="head-title">{title}</h1>}
      <span class="head-more">{children}</span>
      <Menu extra={extra ?? []} />
    </header>
  );
}
