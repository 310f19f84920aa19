import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { Refusal } from "./api";
import { hash } from "./fair";
import { type Line, line } from "./line";
import {
  type Ack,
  type AdviceInfo,
  type ClientMessage,
  type ClockInfo,
  type Notice,
  PROTOCOL,
  type Refused,
  type Said,
  type ServerMessage,
  type TableInfo,
  type ViewInfo,
  type ViewMessage,
} from "./protocol";
import { language } from "./words";

/** connecting: not yet known; online; lost: comes back by itself; newer: another tab plays; ended. */
export type Link = "connecting" | "online" | "lost" | "newer" | "ended";
export interface End {
  code: string;
  sentence: string;
}

const RESEND_AFTER = 2500;
const NEWER_TAB = 4001;
const HASH_DIGITS = 32;
const FINAL = ["wrong_protocol", "unknown_table", "no_spectators", "not_your_seat", "newer_tab"];
const NOT_NOW = ["busy", "cannot_save", "stopping"];
const LATER = ["server_full", "too_many_sockets", "cannot_save"];

interface Request {
  message: ClientMessage;
  sent: number;
  done: (ack: Ack) => void;
  failed: (refusal: Refusal) => void;
}

/** A place at a table, from a seat or as a spectator: what is known now, and what can be done. */
export interface Place {
  table: ReadonlySignal<TableInfo | null>;
  view: ReadonlySignal<ViewInfo | null>;
  link: ReadonlySignal<Link>;
  end: ReadonlySignal<End | null>;
  /** The code with which the server said why one has to come back later. */
  why: ReadonlySignal<string | null>;
  /** When the round's clock runs out, on the clock of `performance.now()`. */
  deadline: ReadonlySignal<number | null>;
  /** The action that is on its way. */
  sending: ReadonlySignal<string | null>;
  /** Whether the server said that storing takes longer. */
  saving: ReadonlySignal<boolean>;
  /** The newest phrase or notice; each is a new object. */
  news: ReadonlySignal<Said | Notice | null>;
  advice: ReadonlySignal<AdviceInfo[]>;
  act(action: string): Promise<Ack>;
  draft(move: string | null): void;
  say(phrase: string): void;
  /** Note that the person does something. */
  stir(): void;
  close(): void;
  /** Come back after another tab has taken the seat. */
  reopen(): void;
}

export interface Seating {
  table: string;
  /** The seat token; null for a spectator. */
  token: string | null;
  assist: number;
}

/** What is known of a table before the server answers. */
export interface Begun {
  table: TableInfo;
  view: ViewMessage | null;
}

/** The key of a request: round, attempt, and what no other request has. */
export function keyOf(round: number, attempt: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  const nonce = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${round}.${attempt % 10000}.${nonce}`;
}

/** The hash of a view as the server counts it: keys come sorted, and stay so. */
export function hashOf(view: ViewInfo): string {
  return hash(JSON.stringify(view)).slice(0, HASH_DIGITS);
}

/** Take a place at a table; the connection is kept until `close`. */
export function takePlace(
  seating: Seating,
  onTable: (table: TableInfo, place: Place) => void,
  begun?: Begun,
): Place {
  const table: Signal<TableInfo | null> = signal(begun?.table ?? null);
  const view: Signal<ViewInfo | null> = signal(null);
  const link: Signal<Link> = signal("connecting");
  const end: Signal<End | null> = signal(null);
  const why: Signal<string | null> = signal(null);
  const deadline: Signal<number | null> = signal(null);
  const sending: Signal<string | null> = signal(null);
  const saving = signal(false);
  const news: Signal<Said | Notice | null> = signal(null);
  const advice: Signal<AdviceInfo[]> = signal([]);
  const asked = new Map<string, Request>();
  let last: { round: number; move: string | null } | null = null;
  let attempts = 0;
  let active = true;
  let ending: End | null = null;

  /** Without a word about the clock it goes on as it was. */
  function show(shown: ViewInfo, clock?: ClockInfo | null): void {
    const before = view.value;
    batch(() => {
      view.value = shown;
      if (clock !== undefined)
        deadline.value = clock === null ? null : performance.now() + clock.left;
      if (before !== null && before.public.round !== shown.public.round) advice.value = [];
    });
  }

  function check(expected: string | null): void {
    if (expected !== null && view.value !== null && hashOf(view.value) !== expected)
      wire.send({ type: "resync" });
  }

  function settle(key: string): Request | undefined {
    const request = asked.get(key);
    asked.delete(key);
    batch(() => {
      saving.value = false;
      sending.value = null;
    });
    return request;
  }

  function refused(message: Refused): void {
    if (message.key === null) {
      ending = { code: message.code, sentence: message.sentence };
      return;
    }
    if (message.view !== null) show(message.view);
    if (NOT_NOW.includes(message.code)) return; // sent again by the beat
    const request = settle(message.key);
    request?.failed(new Refusal(message.code, message.sentence, 409));
  }

  function take(message: ServerMessage): void {
    switch (message.type) {
      case "welcome":
        wire.settle();
        link.value = "online";
        why.value = null;
        for (const request of asked.values()) send(request);
        if (last !== null) wire.send({ type: "draft", ...last });
        break;
      case "table":
        table.value = message.table;
        onTable(message.table, place);
        break;
      case "view":
        show(message.view, message.clock);
        check(message.hash);
        break;
      case "public":
        if (view.value !== null) show({ ...view.value, public: message.public }, message.clock);
        break;
      case "ack":
        if (message.view !== null) show(message.view, message.clock);
        check(message.view_hash);
        settle(message.key)?.done(message);
        break;
      case "refused":
        refused(message);
        break;
      case "pending":
        saving.value = message.key !== null; // without one it is the greeting that takes longer
        break;
      case "said":
      case "notice":
        news.value = message;
        break;
      case "advice":
        advice.value = message.options;
        break;
      case "pong":
        break;
    }
  }

  function lost(code: number): void {
    const said = ending;
    ending = null;
    if (code === NEWER_TAB) link.value = "newer";
    else if (said !== null && FINAL.includes(said.code)) {
      end.value = said;
      link.value = "ended";
    } else if (link.value !== "ended") {
      link.value = "lost";
      why.value = said !== null && LATER.includes(said.code) ? said.code : null;
    }
    if (link.value === "newer" || link.value === "ended") wire.close();
  }

  function send(request: Request): void {
    request.sent = performance.now();
    wire.send(request.message);
  }

  function beat(now: number): void {
    if (link.value !== "online") return;
    for (const request of asked.values()) if (now - request.sent > RESEND_AFTER) send(request);
  }

  const wire: Line = line({
    greeting: () => ({
      type: "hello",
      protocol: PROTOCOL,
      language: language.value,
      assist: seating.assist,
      ...(seating.token === null ? { table: seating.table } : { token: seating.token }),
    }),
    take,
    lost,
    beat,
    active: () => {
      const was = active;
      active = false;
      return was;
    },
  });

  const place: Place = {
    table,
    view,
    link,
    end,
    why,
    deadline,
    sending,
    saving,
    news,
    advice,
    act: (action) =>
      new Promise((done, failed) => {
        attempts += 1;
        active = true;
        last = null;
        const key = keyOf(view.value?.public.round ?? 0, attempts);
        const request: Request = { message: { type: "act", key, action }, sent: 0, done, failed };
        asked.set(key, request);
        sending.value = action;
        if (link.value === "online") send(request);
      }),
    draft: (move) => {
      const round = view.value?.public.round;
      if (round === undefined || round > 6) return;
      last = { round, move };
      active = true;
      wire.send({ type: "draft", ...last });
    },
    say: (phrase) => wire.send({ type: "say", phrase }),
    stir: () => {
      active = true;
    },
    close: () => wire.close(),
    reopen: () => {
      link.value = "connecting";
      wire.open();
    },
  };
  wire.open();
  if (begun?.view != null) show(begun.view.view, begun.view.clock);
  return place;
}
