import { Refusal } from "../api";
import { t } from "../words";

/** The sentence of a refusal, or that there is no connection. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Refusal && error.message !== "") return error.message;
  return t("web.offline");
}
