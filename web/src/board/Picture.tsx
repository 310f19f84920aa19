import type { ComponentChildren, VNode } from "preact";
import "./board.css";

interface PictureProps {
  class: string;
  /** The width and height of what is drawn. */
  box: { w: number; h: number };
  /** Take the width of what it stands in, instead of its own. */
  fluid?: boolean;
  style?: Record<string, string>;
  /** What is said of it; without words it is decoration. */
  label: string | undefined;
  onClick?: (event: MouseEvent & { currentTarget: SVGSVGElement }) => void;
  children: ComponentChildren;
}

/** An SVG picture that says what it shows, or says nothing at all. */
export function Picture({ box, fluid, label, children, ...rest }: PictureProps): VNode {
  const size = fluid ? {} : { width: box.w, height: box.h };
  const view = { viewBox: `0 0 ${box.w} ${box.h}`, ...size, ...rest };
  return label ? (
    <svg role="img" aria-label={label} {...view}>
      {children}
    </svg>
  ) : (
    <svg aria-hidden="true" {...view}>
      {children}
    </svg>
  );
}
