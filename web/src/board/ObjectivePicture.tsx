import type { VNode } from "preact";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { Picture } from "./Picture";

interface ObjectiveProps {
  number: number;
  size: "small" | "large";
  label?: string;
}

const BOXES = { small: [100, 44], large: [200, 140] } as const;

/** How often each picture is shown right now. */
const shown = new Map<string, number>();

/** Copy a picture of an objective out of the page's stock, where it costs nothing. */
function takeOut(id: string): void {
  if (document.getElementById(id) !== null) return;
  const stock = document.querySelector<HTMLTemplateElement>("template#objectives");
  const picture = stock?.content.getElementById(id);
  if (picture != null)
    document.querySelector(".sprite defs")?.append(document.importNode(picture, true));
}

/** Remove a copy that nobody shows any more: in a long evening all would gather. */
function putBack(id: string): void {
  if (!shown.has(id)) document.getElementById(id)?.remove();
}

/** Keep a picture out of the stock as long as it is shown. */
function useStock(id: string): void {
  // Before the next picture: a screen that follows may show what the last one puts back.
  useLayoutEffect(() => {
    shown.set(id, (shown.get(id) ?? 0) + 1);
    takeOut(id);
    return () => {
      const left = (shown.get(id) ?? 1) - 1;
      if (left > 0) shown.set(id, left);
      else shown.delete(id);
      putBack(id);
    };
  }, [id]);
}

/** What an objective asks for, as a picture; it takes the width of what it stands in. */
export function ObjectivePicture({ number, size, label }: ObjectiveProps): VNode {
  const id = `objective-${number}${size === "large" ? "-large" : ""}`;
  useStock(id);
  return useMemo(() => {
    const [w, h] = BOXES[size];
    takeOut(id);
    return (
      <Picture class={`board-objective ${size}`} box={{ w, h }} fluid label={label}>
        <use href={`#${id}`} width={w} height={h} />
      </Picture>
    );
  }, [number, size, label]);
}
