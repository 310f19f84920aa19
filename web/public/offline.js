// The page without a connection: in the language that was chosen, and gone when the server is back.
const AGAIN = 5000;

function chosen() {
  try {
    return JSON.parse(localStorage.getItem("sideboards.settings") ?? "{}").language;
  } catch {
    return null;
  }
}

async function look() {
  try {
    const answer = await fetch("/health", { cache: "no-store" });
    if (answer.ok) location.reload();
  } catch {
    // Still away.
  }
}

const parts = [...document.querySelectorAll("main")];
const wanted = parts.find((part) => part.lang === chosen());
if (wanted) {
  for (const part of parts) part.hidden = part !== wanted;
  document.documentElement.lang = wanted.lang;
  document.title = wanted.querySelector("h1").textContent;
}
addEventListener("online", look);
setInterval(look, AGAIN);
