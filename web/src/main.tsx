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
if ("serviceWorker" in navigator && import.meta.env.PROD)
  void navigator.serviceWorker.register("/sw.js").catch(() => undefined);
