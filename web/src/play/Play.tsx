import type { VNode } from "preact";
import type { AtTable } from "../table/TableRoute";

export function Play(_: AtTable): VNode {
  return <main class="page" />;
}
