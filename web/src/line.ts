import type { ClientMessage, ServerMessage } from "./protocol";

export const PING_EVERY = 2500;
export const DEAD_AFTER = 9000;
const RETRY = 500;
const LONGEST_RETRY = 5000;
const RESTART = 1012;

/** Tries after a planned restart in which the server is expected back any moment. */
export const EXPECTED = 8;

/**
 * How long to wait before the next try: doubled up to 5 s with full jitter.
 * While a planned restart is expected to end, `failures` is negative: about half a second.
 */
export function retryAfter(failures: number, chance: number): number {
  if (failures < 0) return failures === -EXPECTED ? RETRY : RETRY * (0.5 + chance);
  return chance * Math.min(LONGEST_RETRY, RETRY * 2 ** failures);
}

export interface Caller {
  /** The first message on every connection. */
  greeting(): ClientMessage;
  take(message: ServerMessage): void;
  lost(code: number): void;
  /** Called four times a second while there is a connection, and when one is made. */
  beat(now: number): void;
  /** Whether the person did something since the last ping. */
  active(): boolean;
}

export interface Line {
  send(message: ClientMessage): void;
  /** Forget earlier failures: the server has let us in. */
  settle(): void;
  open(): void;
  close(): void;
}

/** A socket that comes back by itself until it is closed. */
export function line(caller: Caller): Line {
  let socket: WebSocket | null = null;
  let failures = 0;
  let wanted = false;
  let heard = 0;
  let pinged = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let ticker: ReturnType<typeof setInterval> | undefined;

  function send(message: ClientMessage): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  }

  function connect(): void {
    clearTimeout(retry);
    if (!wanted || socket !== null) return;
    const address = new URL("/ws", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const made = new WebSocket(address);
    socket = made;
    heard = pinged = performance.now();
    made.onopen = () => {
      heard = performance.now();
      made.send(JSON.stringify(caller.greeting()));
    };
    made.onmessage = (event) => {
      heard = performance.now();
      caller.take(JSON.parse(String(event.data)) as ServerMessage);
    };
    made.onclose = (event) => dropped(made, event.code);
  }

  function dropped(which: WebSocket, code: number): void {
    if (socket !== which) return;
    socket = null;
    caller.lost(code);
    if (!wanted) return;
    if (code === RESTART) failures = -EXPECTED;
    retry = setTimeout(connect, retryAfter(failures, Math.random()));
    failures += 1;
  }

  function tick(): void {
    const now = performance.now();
    if (socket === null) return;
    if (now - heard > DEAD_AFTER) {
      const dead = socket;
      dead.onclose = null;
      dead.close();
      dropped(dead, 1006);
    } else if (now - pinged >= PING_EVERY && socket.readyState === WebSocket.OPEN) {
      pinged = now;
      send({ type: "ping", active: caller.active() });
    }
    caller.beat(now);
  }

  /** A phone that wakes up, or a network that is back, does not wait for its turn. */
  function hurry(): void {
    if (!wanted || document.visibilityState === "hidden") return;
    if (socket === null) {
      failures = 0;
      connect();
    } else tick();
  }

  return {
    send,
    settle: () => {
      failures = 0;
    },
    open: () => {
      if (wanted) return;
      wanted = true;
      failures = 0;
      ticker = setInterval(tick, 250);
      addEventListener("online", hurry);
      document.addEventListener("visibilitychange", hurry);
      connect();
    },
    close: () => {
      wanted = false;
      clearInterval(ticker);
      clearTimeout(retry);
      removeEventListener("online", hurry);
      document.removeEventListener("visibilitychange", hurry);
      const open = socket;
      socket = null;
      if (open !== null) {
        open.onclose = null;
        open.close();
      }
    },
  };
}
