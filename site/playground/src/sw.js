// Keeps the playground for a visit without a network. What is kept belongs to one build of the site.
const NAME = "dralint-VERSION";
const KEPT = FILES;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(NAME)
      .then((cache) => cache.addAll(KEPT))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== NAME && name.startsWith("dralint-")).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith(
    caches.open(NAME).then(async (cache) => {
      const kept = await cache.match(event.request, { ignoreSearch: true });
      return kept ?? fetch(event.request);
    }),
  );
});
