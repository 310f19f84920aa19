import type { VNode } from "preact";
import type { AtTable } from "../table/TableRoute";

export function TablePage(_: AtTable): VNode {
  return <main class="page" />;
}
