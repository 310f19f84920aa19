import { render } from "preact";
import { App } from "./app";
import { boot } from "./boot";
import { LANGUAGES, type Language } from "./protocol";
import { settings } from "./settings";
import { speak } from "./words";
import "./style/tokens.css";
import "./style/base.css";

const root = document.getElementById("app");
const kept = LANGUAGES.find((each) => each === settings.value.language);

async function start(): Promise<void> {
  if (kept !== undefined && kept !== boot.language) await speak(kept as Language);
  if (root !== null) render(<App />, root);
}

void start();
// Only when all that is seen first has come; without a secure connection browsers have none.
if ("serviceWorker" in navigator && import.meta.env.PROD)
  addEventListener("load", () => {
    void navigator.serviceWorker.register("/sw.js").catch(() => undefined);
  });
