import type { VNode } from "preact";

export function ReplayPage(_: { table: string; round: number }): VNode {
  return <main class="page" />;
}
