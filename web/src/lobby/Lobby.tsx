import type { VNode } from "preact";

export function Lobby(): VNode {
  return <main class="page" />;
}
