import type { VNode } from "preact";
import type { AtTable } from "../table/TableRoute";

export function Over(_: AtTable): VNode {
  return <main class="page" />;
}
