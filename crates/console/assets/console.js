// What pages do where script runs; without it they do all but tell what is new.
(() => {
  "use strict";
  const on = (name, act) => document.addEventListener(name, act);

  // A wait of more than 300 ms is shown at the top.
  let wait;
  on("htmx:before:request", () => {
    clearTimeout(wait);
    wait = setTimeout(() => document.documentElement.classList.add("waits"), 300);
  });
  const waited = () => { clearTimeout(wait); document.documentElement.classList.remove("waits"); };
  ["htmx:after:request", "htmx:error", "htmx:after:swap"].forEach((name) => on(name, waited));

  // After a page was swapped in, reading goes on at what is wrong, else at its beginning.
  on("htmx:after:swap", () => {
    const wrong = document.querySelector(".summary");
    const typing = document.activeElement?.matches?.("input, select, textarea");
    if (wrong) wrong.focus();
    else if (!typing) document.getElementById("main")?.focus({ preventScroll: true });
    start();
  });

  // A form is sent once; what it says while it is on its way can be read.
  on("submit", (event) => {
    const form = event.target;
    if (!form.matches("[data-form]")) return;
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "1";
    setTimeout(() => delete form.dataset.sent, 4000);
  });

  // Filters ask as soon as something else is chosen.
  on("change", (event) => {
    const filters = event.target.closest?.("form.filters");
    if (filters && event.target.matches("select, input[type=date]")) filters.requestSubmit();
  });

  on("click", async (event) => {
    const copy = event.target.closest?.("[data-copy]");
    if (copy) {
      await navigator.clipboard.writeText(document.getElementById(copy.dataset.copy).textContent.trim());
      copy.textContent = document.body.dataset.copied;
    }
    const step = event.target.closest?.("[data-step]");
    if (step) {
      const input = step.parentElement.querySelector("input");
      const value = Number(input.value.replace(",", ".")) + Number(step.dataset.step);
      input.value = Math.max(0, Math.round(value * 100) / 100);
    }
  });

  // The finder: "/" or Ctrl-K goes to the search of the page.
  on("keydown", (event) => {
    const finder = event.key === "/" && !event.target.matches("input, textarea, select");
    if (finder || (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey))) {
      const field = document.querySelector("input[type=search]");
      if (field) { event.preventDefault(); field.focus(); }
    }
  });

  // A page from the browser's memory may be somebody else's by now.
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  // What happens elsewhere is told over one connection a browser: whichever page has the lock listens, and tells the
  // others. A page that shows it asks for itself anew, unless somebody is typing in it.
  const channel = "BroadcastChannel" in window ? new BroadcastChannel("spotter") : null;
  let pending;
  const heard = (kind) => {
    const live = document.querySelector("[data-live]");
    if (!live || !live.dataset.live.split(" ").some((word) => kind.startsWith(word))) return;
    clearTimeout(pending);
    pending = setTimeout(refresh, 150);
  };
  const refresh = () => {
    const live = document.querySelector("[data-live]");
    if (!live || document.activeElement?.closest?.("[data-live]")?.matches?.("input, textarea")) return;
    htmx.ajax("GET", location.href, { target: "#" + live.id, select: "#" + live.id, swap: "outerMorph" });
  };
  channel?.addEventListener("message", (event) => heard(event.data));
  let listening = false;
  const listen = (pause = 1000) => {
    const stream = new EventSource("/console/events");
    stream.addEventListener("ready", () => { pause = 1000; });
    stream.addEventListener("reset", () => { heard("reset"); refresh(); });
    for (const kind of ["conversation.message.created", "conversation.message.updated", "conversation.message.deleted", "conversation.seen",
      "booking.created", "booking.updated", "booking.cancelled", "booking_request.created"]) {
      stream.addEventListener(kind, () => { heard(kind); channel?.postMessage(kind); });
    }
    stream.onerror = () => {
      if (stream.readyState !== EventSource.CLOSED) return;
      setTimeout(() => listen(Math.min(pause * 2, 60000)), pause * (0.5 + Math.random()));
    };
  };
  // What is worked on is looked at again until it is done.
  const look = () => {
    const shown = document.querySelector("[data-poll]");
    if (!shown || shown.dataset.looks) return;
    shown.dataset.looks = "1";
    setTimeout(() => {
      if (!document.contains(shown)) return;
      delete shown.dataset.looks;
      htmx.ajax("GET", location.href, { target: "#" + shown.id, select: "#" + shown.id, swap: "outerHTML" });
    }, Number(shown.dataset.poll));
  };
  const start = () => {
    look();
    // Of a conversation, what was said last is read first.
    const said = document.querySelector("#thread .talk > li:last-child");
    if (said && !document.querySelector(".summary")) said.scrollIntoView({ block: "center" });
    if (listening || !document.querySelector("[data-live]") || !navigator.locks) return;
    listening = true;
    navigator.locks.request("spotter-live", () => { listen(); return new Promise(() => {}); });
  };
  start();
})();
