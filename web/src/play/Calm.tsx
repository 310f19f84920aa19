import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { language } from "../words";
import { screen } from "./layout";
import type { Scene } from "./scene";

interface CalmProps {
  scene: Scene;
  /** What it is drawn from besides the scene; always as many. */
  from: unknown[];
  draw: () => VNode;
}

/** What a choice does not change; drawn anew when somebody does something, or the window changes. */
export function Calm({ scene, from, draw }: CalmProps): VNode {
  const { view, table, level, large } = scene;
  return useMemo(draw, [view, table, level, large, screen.value, language.value, ...from]);
}
