import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { settings } from "../settings";
import { t } from "../words";
import { note, type Step, skip, wasSeen } from "./seen";
import "./tips.css";

interface TipsProps {
  /** The steps whose time has come, in order; the first that was not yet seen is shown. */
  steps: readonly Step[];
}

/** Tips that leave by themselves, in milliseconds; all others stay until something is done. */
const LASTS: Partial<Record<Step, number>> = {
  objectives: 6000,
  match: 6000,
  lock: 12_000,
  pass: 6000,
  swap: 9000,
  bonus: 9000,
  end: 5000,
};
/** Tips that stand over what can be touched have no buttons that could catch a finger. */
const BARE: readonly Step[] = ["match", "lock", "pass", "swap", "bonus", "end"];
const EDGE = 8;
const AWAY = 12;

interface Where {
  left: number;
  top: number;
  arrow: number;
  above: boolean;
}

/** Where a bubble stands beside its anchor: on the side with more room, inside the window. */
export function beside(
  anchor: { left: number; top: number; width: number; height: number },
  bubble: { width: number; height: number },
  view: { width: number; height: number },
): Where {
  const middle = anchor.left + anchor.width / 2;
  const most = Math.max(EDGE, view.width - bubble.width - EDGE);
  const left = Math.min(Math.max(EDGE, middle - bubble.width / 2), most);
  const above = anchor.top > view.height - anchor.top - anchor.height;
  const wished = above ? anchor.top - bubble.height - AWAY : anchor.top + anchor.height + AWAY;
  const lowest = Math.max(EDGE, view.height - bubble.height - EDGE);
  const arrow = Math.min(Math.max(18, middle - left), bubble.width - 18);
  return { left, top: Math.min(Math.max(EDGE, wished), lowest), arrow, above };
}

/** The element that a tip is about: marked with `data-tip`. */
function anchorOf(step: Step): Element | null {
  return document.querySelector(`[data-tip~="${step}"]`);
}

/** The next tip as a bubble beside what it is about; spoken in the same words. */
export function Tips({ steps }: TipsProps): VNode {
  const wanted = settings.value.knowsRules ? [] : steps;
  const step = wanted.find((each) => !wasSeen(each));
  useEffect(() => {
    // What the tip is about may show it, too: Lock in pulses once.
    document.documentElement.dataset.tipped = step ?? "";
    return () => {
      delete document.documentElement.dataset.tipped;
    };
  }, [step]);
  useEffect(() => {
    const lasts = step === undefined ? undefined : LASTS[step];
    if (step === undefined || lasts === undefined) return;
    const timer = setTimeout(() => note(step), lasts);
    return () => clearTimeout(timer);
  }, [step]);
  return (
    <div class="tips" role="status">
      {step !== undefined && <Bubble key={step} step={step} />}
    </div>
  );
}

/** One tip. It never covers what can be touched: only its buttons take touches. */
export function Bubble({ step }: { step: Step }): VNode {
  const bubble = useRef<HTMLDivElement>(null);
  const [where, setWhere] = useState<Where | null>(null);
  useLayoutEffect(() => {
    function place(): void {
      const anchor = anchorOf(step)?.getBoundingClientRect();
      const own = bubble.current?.getBoundingClientRect();
      const view = { width: innerWidth, height: innerHeight };
      const found = anchor && own ? beside(anchor, own, view) : null;
      setWhere((before) => (JSON.stringify(found) === JSON.stringify(before) ? before : found));
    }
    place();
    const timer = setInterval(place, 400);
    addEventListener("scroll", place, { passive: true, capture: true });
    addEventListener("resize", place);
    return () => {
      clearInterval(timer);
      removeEventListener("scroll", place, { capture: true });
      removeEventListener("resize", place);
    };
  }, [step]);
  const style =
    where === null
      ? {}
      : { left: `${where.left}px`, top: `${where.top}px`, "--arrow": `${where.arrow}px` };
  const side = where === null ? "unplaced" : where.above ? "above" : "below";
  return (
    <div ref={bubble} class={`tip ${side}`} style={style}>
      <p>{t(`web.tutorial.${step}`)}</p>
      {!BARE.includes(step) && (
        <div class="tip-buttons">
          <button type="button" onClick={() => note(step)}>
            {t("web.tutorial.next")}
          </button>
          <button type="button" onClick={skip}>
            {t("web.tutorial.skip")}
          </button>
        </div>
      )}
    </div>
  );
}
