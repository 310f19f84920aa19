import type { VNode } from "preact";
import { Picture } from "./Picture";

interface ObjectiveProps {
  number: number;
  size: "small" | "large";
  label?: string;
}

const BOXES = { small: [100, 44], large: [200, 140] } as const;

/** Take a picture of an objective out of the page's stock, where it cost nothing until now. */
function takeOut(id: string): void {
  const stock = document.getElementById("objectives");
  if (!(stock instanceof HTMLTemplateElement)) return;
  const picture = stock.content.getElementById(id);
  if (picture !== null) document.querySelector(".sprite defs")?.append(picture);
}

/** What an objective asks for, as a picture; it takes the width of what it stands in. */
export function ObjectivePicture({ number, size, label }: ObjectiveProps): VNode {
  const [w, h] = BOXES[size];
  const id = `objective-${number}${size === "large" ? "-large" : ""}`;
  takeOut(id);
  return (
    <Picture class={`board-objective ${size}`} box={{ w, h }} fluid label={label}>
      <use href={`#${id}`} width={w} height={h} />
    </Picture>
  );
}
