// Keeps the program of one version, so that it starts at once and rules can be read without a
// connection. Pages come from the network first; what is played never comes from here.
// The server fills in the version and the names of the built files.
const VERSION = "{{version}}";
const ASSETS = ["{{assets}}"];
const FAMILY = "sideboards-";
const CACHE = FAMILY + VERSION;
const OFFLINE = "/offline";
const RULES = "/rules";
const PLAIN = ["/page.css", "/offline.js", "/icon.svg"];
const AWAY = [502, 503, 504];

self.addEventListener("install", (event) => {
  // As a stranger gets them: what a page says to one guest is never kept.
  const wanted = [OFFLINE, RULES, ...PLAIN, ...ASSETS].map(
    (path) => new Request(path, { credentials: "omit" }),
  );
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(wanted)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(tidy());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(event, url.pathname));
  else if (url.pathname.startsWith("/assets/") || PLAIN.includes(url.pathname))
    event.respondWith(kept(request));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data));
});

async function show(path) {
  const tabs = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const tab = tabs.find((each) => new URL(each.url).pathname === path);
  await (tab === undefined ? self.clients.openWindow(path) : tab.focus());
}

async function tidy() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(FAMILY) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

async function page(event, path) {
  try {
    const answer = (await event.preloadResponse) ?? (await fetch(event.request));
    if (!AWAY.includes(answer.status)) return answer;
  } catch {
    // No connection: the page that says so, below.
  }
  const found = await caches.match(path === RULES ? RULES : OFFLINE);
  return found ?? Response.error();
}

async function kept(request) {
  return (await caches.match(request)) ?? fetch(request);
}
