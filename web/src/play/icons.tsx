import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../words";

const PATHS = {
  lock: "M7 11V8a5 5 0 0 1 10 0v3h1a1.5 1.5 0 0 1 1.5 1.5v7A1.5 1.5 0 0 1 18 21H6a1.5 1.5 0 0 1-1.5-1.5v-7A1.5 1.5 0 0 1 6 11zm2.2 0h5.6V8a2.8 2.8 0 0 0-5.6 0z",
  dots: "M3 12a2 2 0 1 0 4 0 2 2 0 1 0-4 0m7 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0m7 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0",
} as const;

const LINES = {
  away: "M12 6.5a5.5 5.5 0 1 0 .01 0z",
  turn: "M4.5 10.5A8 8 0 0 1 19 7.5M19.500 13.500A8 8 0 0 1 5 16.500M19.500 3.500v4.500h-4.500M4.500 20.500v-4.500h4.500",
  swap: "M4 4.500h7a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1zM15 7.500h5a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-2",
  left: "M20 12H5m6-6-6 6 6 6",
  exchange: "M4 8h15m-4-4 4 4-4 4M20 16H5m4-4-4 4 4 4",
  close: "M6 6l12 12M18 6 6 18",
} as const;

/** A sign beside a word; never alone. */
export function Icon({
  name,
  size = 16,
}: {
  name: keyof typeof PATHS | keyof typeof LINES;
  size?: number;
}): VNode {
  const solid = name in PATHS;
  const d = solid ? PATHS[name as keyof typeof PATHS] : LINES[name as keyof typeof LINES];
  return (
    <svg
      class={`icon ${solid ? "solid" : "outline"} icon-${name}`}
      viewBox="0 0 24 24"
      width={size}
      height={size}
      aria-hidden="true"
    >
      <path d={d} fill-rule="evenodd" />
    </svg>
  );
}

/** The cross that closes a panel: it takes the focus when the panel opens, and gives it back, unless quiet. */
export function Close({ close, quiet }: { close: () => void; quiet?: boolean }): VNode {
  const cross = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (quiet) return;
    const before = document.activeElement;
    cross.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected)
        requestAnimationFrame(() => before.focus());
    };
  }, []);
  return (
    <button
      ref={cross}
      type="button"
      class="close"
      aria-label={t("web.play.close")}
      onClick={close}
    >
      <Icon name="close" size={20} />
    </button>
  );
}
