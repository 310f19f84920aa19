import type { VNode } from "preact";

export function Landing(): VNode {
  return <main class="page" />;
}
