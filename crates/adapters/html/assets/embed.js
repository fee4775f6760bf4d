// Sizes the frames of a Spotter site on the pages of others. A frame asks for its height; nothing else is read of it.
(() => {
  "use strict";
  const script = document.currentScript;
  const origin = new URL(script.src).origin;
  const frames = () => document.querySelectorAll("iframe");
  window.addEventListener("message", (event) => {
    if (event.origin !== origin || !event.data || event.data.type !== "spotter:height") return;
    const height = Number(event.data.height);
    if (!(height > 0 && height < 20000)) return;
    for (const frame of frames()) {
      if (frame.contentWindow === event.source) frame.style.height = `${Math.ceil(height)}px`;
    }
  });
  // A placeholder becomes a frame: <div data-spotter="https://gym.example/embed/timetable"></div>
  for (const place of document.querySelectorAll("[data-spotter]")) {
    const address = new URL(place.dataset.spotter, origin);
    if (address.origin !== origin) continue;
    const frame = document.createElement("iframe");
    frame.src = address.href;
    frame.title = place.dataset.title || "Spotter";
    frame.loading = "lazy";
    frame.style.cssText = "width:100%;border:0;height:480px;display:block;color-scheme:normal";
    place.replaceChildren(frame);
  }
})();
