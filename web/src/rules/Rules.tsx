import type { VNode } from "preact";

export function Rules(): VNode {
  return <main class="page" />;
}
