import type { VNode } from "preact";
import { Picture } from "./Picture";

interface ObjectiveProps {
  number: number;
  size: "small" | "large";
  label?: string;
}

const BOXES = { small: [100, 44], large: [200, 140] } as const;

/** What an objective asks for, as a picture; it takes the width of what it stands in. */
export function ObjectivePicture({ number, size, label }: ObjectiveProps): VNode {
  const [w, h] = BOXES[size];
  return (
    <Picture class={`board-objective ${size}`} box={{ w, h }} fluid label={label}>
      <use href={`#objective-${number}${size === "large" ? "-large" : ""}`} width={w} height={h} />
    </Picture>
  );
}
