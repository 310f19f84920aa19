import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { get, Refusal } from "../api";
import type { TableInfo, ViewInfo } from "../protocol";
import { nameOf } from "../sentences";
import { keep, recall, settings } from "../settings";
import type { Sitting } from "../sitting";
import { language, t } from "../words";
import { beatLength } from "./beats";
import type { Result } from "./result";

/** A finished game, as this device looks at it. */
export interface Scene {
  info: TableInfo;
  view: ViewInfo;
  result: Result;
  /** The own seat; null for spectators, and where several people share the device. */
  own: number | null;
  /** The people of this device. */
  people: Sitting[];
  /** Everybody's name; the own seat is "You". */
  names: string[];
}

/** Everybody's name as this device says it. */
export function namesAt(info: TableInfo, own: number | null): string[] {
  return info.seats.map((_, seat) => (seat === own ? t("web.over.you") : nameOf(info.seats, seat)));
}

export type Loaded<T> = { found: T } | { refused: string } | null;

/** What the server answers; asked anew when path or language change, or by `again`. */
export function useLoaded<T>(path: string | null): [Loaded<T>, () => void] {
  const [state, setState] = useState<Loaded<T>>(null);
  const [tries, setTries] = useState(0);
  const spoken = language.value;
  useEffect(() => {
    if (path === null) return;
    let here = true;
    setState(null);
    get<T>(path).then(
      (found) => here && setState({ found }),
      (error: unknown) => here && setState({ refused: sentenceOf(error) }),
    );
    return () => {
      here = false;
    };
  }, [path, spoken, tries]);
  return [state, () => setTries((before) => before + 1)];
}

/** What to say about an error. */
export function sentenceOf(error: unknown): string {
  return error instanceof Refusal && error.message !== "" ? error.message : t("web.offline");
}

/** The beats of the end scoring: they go on by themselves; a table is counted once per device. */
export function useBeats(table: string, last: number): { now: number; next(): void; skip(): void } {
  const name = `sideboards.counted.${table}`;
  const length = beatLength(settings.value.speed);
  const begin = length === 0 || recall<boolean>(name) === true ? last : 0;
  const [now, setNow] = useState(begin);
  useEffect(() => {
    if (now >= last) {
      keep(name, true);
      return;
    }
    const timer = setTimeout(() => setNow(now + 1), length);
    return () => clearTimeout(timer);
  }, [now, last, length]);
  return {
    now,
    next: () => setNow((before) => Math.min(before + 1, last)),
    skip: () => setNow(last),
  };
}

/** The size of an element, followed as it changes. */
export function useSize<E extends HTMLElement>(): [RefObject<E | null>, { w: number; h: number }] {
  const ref = useRef<E | null>(null);
  const [size, setSize] = useState({ w: 0, h: 0 });
  useLayoutEffect(() => {
    const here = ref.current;
    if (here === null) return;
    const measure = () => setSize({ w: here.clientWidth, h: here.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(here);
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}

/** Whether the screen is wide enough for columns. */
export function useWide(): boolean {
  const [wide, setWide] = useState(() => innerWidth >= 1024);
  useEffect(() => {
    const look = () => setWide(innerWidth >= 1024);
    addEventListener("resize", look);
    return () => removeEventListener("resize", look);
  }, []);
  return wide;
}
