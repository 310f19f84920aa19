import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { Refusal } from "../api";
import { type Choice, choiceOf, fits, moveOf, nothing, optionOf } from "../choice";
import type { Place } from "../place";
import type { ViewInfo } from "../protocol";
import { type Preview, previewOf } from "../sentences";
import { change, keep, recall, settings } from "../settings";
import { play } from "../sound";
import { language, t } from "../words";
import { closeWords, exchangesOf } from "./story";

/** The action bar asks before these. */
export type Question = "swap" | "leave";

/** A round that was just closed: only decoration, everything is final already. */
export interface Reveal {
  round: number;
  /** The cards that leave the hand. */
  rest: number[];
}

/** What one person has before her: the choice that all inputs edit, and what can be done with it. */
export interface Desk {
  choice: ReadonlySignal<Choice>;
  /** Whether the choice is stored at the server. */
  locked: ReadonlySignal<boolean>;
  /** Whether it can be edited right now. */
  open: ReadonlySignal<boolean>;
  /** Whether the hand is so new that a click was meant for the last one. */
  inert: ReadonlySignal<boolean>;
  question: Signal<Question | null>;
  /** What was refused, and what to do next. */
  trouble: Signal<string | null>;
  reveal: Signal<Reveal | null>;
  /** What is said aloud next, politely. */
  said: Signal<string>;
  /** What own moves brought, by round, as far as it was seen here. */
  gains: Map<number, Preview>;
  edit(how: (choice: Choice) => Choice): void;
  lock(): void;
  reopen(): void;
  /** Any other action: `swap`, `help 2`, `leave` … */
  ask(action: string): void;
  close(): void;
}

interface Tried {
  key: string;
  choice: Choice;
}

const DRAFT_EVERY = 210;
/** A click that was meant for the last hand does not count for the next one. */
const INERT = 350;
const REVEAL = { normal: 900, fast: 450, none: 0 };

/** The cards in hand. */
export function handOf(view: ViewInfo): number[] {
  return (view.seat === null ? null : view.hands[view.seat])?.at(-1) ?? [];
}

/** A choice belongs to one hand in one round, and to nothing else. */
function keyOf(view: ViewInfo): string {
  return `${view.public.round}:${handOf(view).join(",")}`;
}

/** What is chosen: what the server has stored, else what was tried with this very hand. */
export function chosen(view: ViewInfo, tried: Tried | null, end: "left" | "right"): Choice {
  const stored = view.choice === null ? null : choiceOf(view.choice);
  if (stored !== null) return stored;
  const round = view.public.round;
  if (tried?.key === keyOf(view) && fits(tried.choice, handOf(view), round)) return tried.choice;
  return nothing(round, end);
}

/** Somebody's desk at a place; `name` is where the tried choice is kept over a reload. */
export function openDesk(place: Place, name: string): Desk {
  const tried: Signal<Tried | null> = signal(recall<Tried>(name));
  const question: Signal<Question | null> = signal(null);
  const trouble: Signal<string | null> = signal(null);
  const reveal: Signal<Reveal | null> = signal(null);
  const said = signal("");
  const gains = new Map<number, Preview>();
  let hand = "";
  let round = -1;
  const inert = signal(false);
  let waking: ReturnType<typeof setTimeout> | undefined;
  let told: string | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ending: ReturnType<typeof setTimeout> | undefined;

  const choice = computed(() => {
    const view = place.view.value;
    if (view === null) return nothing(0, "right");
    return chosen(view, tried.value, settings.value.end);
  });
  const locked = computed(() => place.view.value?.choice != null);
  const open = computed(
    () =>
      !locked.value && (place.view.value?.options.length ?? 0) > 0 && place.sending.value === null,
  );

  /** Tells the server the newest choice, at most five times a second. */
  function tell(): void {
    if (timer !== undefined) return;
    place.draft(moveOf(choice.peek()));
    told = moveOf(choice.peek());
    timer = setTimeout(() => {
      timer = undefined;
      if (open.peek() && moveOf(choice.peek()) !== told) tell();
    }, DRAFT_EVERY);
  }

  function failed(error: unknown): void {
    const sentence = error instanceof Refusal ? error.message : "";
    trouble.value = sentence === "" ? t("web.offline") : sentence;
    said.value = trouble.value;
  }

  const watching = effect(() => {
    const view = place.view.value;
    if (view === null) return;
    const key = keyOf(view);
    if (key !== hand) {
      if (hand !== "") {
        inert.value = true;
        clearTimeout(waking);
        waking = setTimeout(() => {
          inert.value = false;
        }, INERT);
      }
      hand = key;
      question.value = null;
      trouble.value = null;
    }
    if (view.choice !== null) {
      const stored = choiceOf(view.choice);
      if (stored !== null && tried.peek()?.key !== key) tried.value = { key, choice: stored };
    }
    if (round >= 0 && view.public.round > round) closed(view);
    round = view.public.round;
  });

  function closed(view: ViewInfo): void {
    const seats = place.table.peek()?.seats ?? [];
    said.value = closeWords(view, seats);
    reveal.value = { round: view.public.round, rest: exchangesOf(view).at(-1)?.rest ?? [] };
    play("pass");
    clearTimeout(ending);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const lasts = still ? 120 : REVEAL[settings.peek().speed];
    ending = setTimeout(() => {
      reveal.value = null;
    }, lasts);
  }

  return {
    choice,
    locked,
    open,
    inert,
    question,
    trouble,
    reveal,
    said,
    gains,
    edit: (how) => {
      const view = place.view.peek();
      if (view === null || !open.peek()) return;
      const before = choice.peek();
      const after = how(before);
      if (after === before) return;
      tried.value = { key: keyOf(view), choice: after };
      keep(name, tried.peek());
      question.value = null;
      trouble.value = null;
      tell();
    },
    lock: () => {
      const view = place.view.peek();
      const move = moveOf(choice.peek());
      if (view === null || move === null || !open.peek() || inert.peek()) return;
      const now = choice.peek();
      const after = optionOf(now, view.options)?.points;
      const before = view.seat === null ? undefined : view.public.scores?.[view.seat];
      if (after !== undefined && before !== undefined)
        gains.set(view.public.round, previewOf(before, after, view, language.peek()));
      if (now.kind === "place" && settings.peek().end !== now.end) change({ end: now.end });
      tried.value = { key: keyOf(view), choice: now };
      trouble.value = null;
      play("lock");
      place.act(move).then(() => {
        if (locked.peek()) said.value = t("web.play.locked");
      }, failed);
    },
    reopen: () => {
      const view = place.view.peek();
      if (view?.choice == null || place.sending.peek() !== null) return;
      tried.value = { key: keyOf(view), choice: choice.peek() };
      trouble.value = null;
      place.act("undo").then(tell, failed);
    },
    ask: (action) => {
      if (inert.peek() || place.sending.peek() !== null) return;
      question.value = null;
      trouble.value = null;
      if (action === "swap") play("swap");
      place.act(action).catch(failed);
    },
    close: () => {
      watching();
      clearTimeout(timer);
      clearTimeout(waking);
      clearTimeout(ending);
    },
  };
}
