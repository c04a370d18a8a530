/*
 * The site without the network: what it is made of is kept when it is seen first, and taken from there ever after. Another build has
 * another name; it waits until no page shows the one before, whose files go then. site.mjs fills in both.
 */
const OURS = `terrane ${self.registration.scope} `; // other folders of the origin may hold sites of their own
const NAME = `${OURS}SITE_DIGEST`;
const FILES = SITE_FILES;

async function keep() {
    const cache = await caches.open(NAME);
    await cache.addAll(FILES.map((file) => new Request(file, { cache: 'no-cache' })));
}

async function tidy() {
    const old = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== NAME);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
}

async function answer(request) {
    const cache = await caches.open(NAME);
    return (await cache.match(request, { ignoreSearch: true })) ?? fetch(request);
}

self.addEventListener('install', (event) => event.waitUntil(keep()));
self.addEventListener('activate', (event) => event.waitUntil(tidy()));
self.addEventListener('fetch', (event) => {
    if (event.request.method === 'GET') event.respondWith(answer(event.request));
});
