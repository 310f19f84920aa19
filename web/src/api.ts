import { language } from "./words";

/** What the server does not do: a code for programs, a sentence for people. */
export class Refusal extends Error {
  constructor(
    readonly code: string,
    sentence: string,
    readonly status: number,
  ) {
    super(sentence);
  }
}

const OFFLINE = "offline";

async function call<T>(method: string, path: string, body?: unknown, bearer?: string): Promise<T> {
  const headers: Record<string, string> = { "accept-language": language.value };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`;
  let answer: Response;
  try {
    const sent = body === undefined ? null : JSON.stringify(body);
    answer = await fetch(path, { method, headers, body: sent, credentials: "same-origin" });
  } catch {
    throw new Refusal(OFFLINE, "", 0);
  }
  const text = await answer.text();
  const json = answer.headers.get("content-type")?.includes("json") === true;
  const content: unknown = json && text !== "" ? JSON.parse(text) : text;
  if (!answer.ok) {
    const { code, sentence } = content as { code?: string; sentence?: string };
    throw new Refusal(code ?? "internal", sentence ?? answer.statusText, answer.status);
  }
  return content as T;
}

export const get = <T>(path: string): Promise<T> => call<T>("GET", path);
/** `bearer`: the device token of another guest who plays on this device. */
export const post = <T>(path: string, body: unknown = {}, bearer?: string): Promise<T> =>
  call<T>("POST", path, body, bearer);
export const patch = <T>(path: string, body: unknown): Promise<T> => call<T>("PATCH", path, body);
export const remove = <T>(path: string): Promise<T> => call<T>("DELETE", path);

/** The result of a long calculation: asked for until it is there, with the progress told. */
export async function await_<T>(
  path: string,
  tell: (progress: number) => void,
  unwanted: AbortSignal,
): Promise<T> {
  // Who has left asks no more, and is not kept in memory for the answer's sake.
  for (let tries = 0; tries < 300 && !unwanted.aborted; tries++) {
    const answer = await get<T | { progress: number }>(path);
    const found = answer as { progress?: number };
    if (found === null || typeof found.progress !== "number" || Object.keys(found).length > 1)
      return answer as T;
    tell(found.progress);
    await new Promise((done) => setTimeout(done, 700));
  }
  throw new Refusal("too_slow", "", 503);
}
