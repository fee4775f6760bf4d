// Keeps the frame of the clients' pages while a device is offline: style, scripts, icons, and a page that says so. Nothing of
// a person is kept. Shows the notifications that come while no page is open.
const FILES = [/* files */];
const SHELL = "shell-" + FILES.join("-");

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(SHELL).then((shell) => shell.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const tidy = caches.keys().then((keys) => Promise.all(keys.filter((key) => key !== SHELL).map((key) => caches.delete(key))));
  event.waitUntil(tidy.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== self.location.origin) return;
  if (FILES.includes(address.pathname)) {
    event.respondWith(caches.match(address.pathname).then((kept) => kept || fetch(request)));
  } else if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => caches.match("/my/offline")));
  }
});

self.addEventListener("push", (event) => {
  const { title, body, url } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, icon: FILES.find((file) => file.endsWith(".png")), data: { url } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { url } = event.notification.data;
  const show = self.clients.matchAll({ type: "window" }).then((pages) => {
    const page = pages.find((one) => new URL(one.url).pathname.startsWith("/my"));
    return page ? page.focus().then((shown) => shown.navigate(url)) : self.clients.openWindow(url);
  });
  event.waitUntil(show);
});
