// What pages do where script runs; without it they do all but tell what is new.
(() => {
  "use strict";
  document.documentElement.classList.add("runs");
  const on = (name, act) => document.addEventListener(name, act);

  // The clients' pages install as an app, whose frame is kept.
  if (document.querySelector("link[rel=manifest]") && navigator.serviceWorker) {
    navigator.serviceWorker.register("/my/worker.js", { scope: "/my" }).catch(() => {});
  }

  // Notifications on this device: the browser subscribes, and its form says where. Who signs out gets none.
  const shown = async (part, state) => part.querySelectorAll("[data-push-state]").forEach((one) => { one.hidden = one.dataset.pushState !== state; });
  const push = () => {
    const part = document.querySelector("[data-push]");
    if (!part) return;
    if (!window.PushManager || !navigator.serviceWorker) shown(part, "missing");
    else shown(part, Notification.permission === "denied" ? "denied" : "ready");
  };
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (form.action.endsWith("/sign-out")) {
      const worker = await navigator.serviceWorker?.getRegistration("/my");
      (await worker?.pushManager?.getSubscription())?.unsubscribe();
    }
    const part = form.closest("[data-push]");
    const endpoint = part && form.querySelector("[name=endpoint]");
    if (!endpoint || endpoint.value) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    try {
      const worker = await navigator.serviceWorker.ready;
      const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: part.dataset.push });
      const { keys } = made.toJSON();
      endpoint.value = made.endpoint;
      form.querySelector("[name='keys.p256dh']").value = keys.p256dh;
      form.querySelector("[name='keys.auth']").value = keys.auth;
      form.requestSubmit();
    } catch {
      shown(part, Notification.permission === "denied" ? "denied" : "missing");
    }
  }, true);
  on("htmx:after:swap", push);
  push();

  // A wait of more than 300 ms is shown at the top.
  let wait;
  on("htmx:before:request", () => {
    clearTimeout(wait);
    wait = setTimeout(() => document.documentElement.classList.add("waits"), 300);
  });
  const waited = () => { clearTimeout(wait); document.documentElement.classList.remove("waits"); };
  ["htmx:after:request", "htmx:error", "htmx:after:swap"].forEach((name) => on(name, waited));

  // A field that was drawn larger keeps its size in a style of its own, which htmx would write anew and the policy refuse.
  on("htmx:before:swap", () => document.querySelectorAll("[id][style]").forEach((field) => field.removeAttribute("style")));

  // After a page was swapped in, reading goes on at what is wrong, else where a form was sent from, else at its beginning.
  let place = "";
  on("submit", (event) => { place = event.target.closest("[id][tabindex='-1']:not(#main)")?.id || ""; });
  on("htmx:after:swap", () => {
    const wrong = document.querySelector(".summary, .foreseen");
    const typing = document.activeElement?.matches?.("input, select, textarea");
    const back = place && document.getElementById(place);
    place = "";
    if (wrong) wrong.focus();
    else if (back) back.focus({ preventScroll: true });
    else if (!typing) document.getElementById("main")?.focus({ preventScroll: true });
    start();
  });

  // Rows that are ticked stay so on the page that does something else with them.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-brings]");
    if (!link) return;
    const ticked = [...document.querySelectorAll(`td input[name="${link.dataset.brings}"]:checked`)];
    const to = new URL(link.href);
    to.searchParams.set("ticked", ticked.map((box) => box.value).join(","));
    ticked.forEach((box) => { box.checked = box.defaultChecked; });
    link.href = to;
  }, true);

  // What is typed into another form of the page would be gone: whoever sends this one is asked. Drafts and training are kept.
  const differs = (field) => {
    if (field.type === "hidden" || field.type === "password" || field.matches("[data-draft]")) return false;
    if (field.options) {
      const options = [...field.options];
      const usual = options.findIndex((option) => option.defaultSelected);
      return field.selectedIndex !== Math.max(usual, 0);
    }
    return field.type === "checkbox" || field.type === "radio" ? field.checked !== field.defaultChecked : (field.value ?? "") !== (field.defaultValue ?? "");
  };
  const loses = (but) => [...document.querySelectorAll("form[data-form]:not([data-offline])")]
    .some((form) => form !== but && [...form.elements].some(differs)) && !confirm(document.body.dataset.unsaved);
  const stop = (event) => { event.preventDefault(); event.stopImmediatePropagation(); };
  document.addEventListener("submit", (event) => {
    if (event.target.matches("[data-form]") && loses(event.target)) stop(event);
  }, true);
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    const stays = !link || link.target || link.hasAttribute("download") || link.getAttribute("href").startsWith("#") || event.ctrlKey || event.metaKey || event.shiftKey;
    if (!stays && loses()) stop(event);
  }, true);

  // A form is sent once; what it says while it is on its way can be read.
  on("submit", (event) => {
    const form = event.target;
    if (!form.matches("[data-form]")) return;
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "1";
    const button = event.submitter;
    button?.setAttribute("aria-disabled", "true");
    // Until it is answered; a page that never comes lets it be tried once more.
    const again = () => { delete form.dataset.sent; button?.removeAttribute("aria-disabled"); };
    const late = setTimeout(again, form.dataset.hxBoost === "false" ? 4000 : 60000);
    const answered = () => { clearTimeout(late); again(); };
    ["htmx:after:request", "htmx:error"].forEach((name) => document.addEventListener(name, answered, { once: true }));
  });

  // Filters ask as soon as something else is chosen.
  on("change", (event) => {
    const filters = event.target.closest?.("form.filters");
    if (filters && event.target.matches("select, input[type=date]")) filters.requestSubmit();
  });

  // One box ticks all of its form's rows.
  on("change", (event) => {
    const form = event.target.dataset?.ticks;
    if (form) document.querySelectorAll(`td input[type=checkbox][form="${form}"]`).forEach((box) => { box.checked = event.target.checked; });
  });

  on("click", async (event) => {
    if (event.target.closest?.("[data-print]")) print();
    const copy = event.target.closest?.("[data-copy]");
    if (copy) {
      await navigator.clipboard.writeText(document.getElementById(copy.dataset.copy).textContent.trim());
      copy.textContent = document.body.dataset.copied;
    }
    const step = event.target.closest?.("[data-step]");
    if (step) {
      const input = step.parentElement.querySelector("input");
      const value = (Number(input.value.replace(",", ".")) || 0) + Number(step.dataset.step);
      const shown = String(Math.max(0, Math.round(value * 100) / 100));
      input.value = document.documentElement.lang === "en" ? shown : shown.replace(".", ",");
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

  // Training on a phone: screens are turned in place, what was done is kept here while nothing can be sent, and a rest is
  // counted down. What is kept is written whole, so the last of a form stands for those before it.
  const KEPT = "spotter.kept";
  const kept = () => { try { return JSON.parse(localStorage.getItem(KEPT)) || []; } catch { return []; } };
  const keep = (all) => localStorage.setItem(KEPT, JSON.stringify(all));
  const bodyOf = (form) => new URLSearchParams(new FormData(form)).toString();
  const post = (action, body) => fetch(action, { method: "POST", body, headers: { "content-type": "application/x-www-form-urlencoded" } });
  // One after the other: what is written whole is not overtaken by what was written before it.
  let last = Promise.resolve();
  const inOrder = (action, body) => (last = last.catch(() => {}).then(() => post(action, body)));
  const turn = (index) => {
    const screens = [...document.querySelectorAll("[data-screen]")];
    if (!screens[index]) return;
    screens.forEach((screen, at) => { screen.hidden = at !== index; });
    screens[index].scrollIntoView({ block: "nearest" });
  };
  const tellKept = () => { const note = document.getElementById("kept"); if (note) note.hidden = !kept().length; };
  const send = async () => {
    for (let [next] = kept(); next; [next] = kept()) {
      let answer;
      try { answer = await post(next.action, next.body); } catch { break; }
      if (!answer.ok && answer.status !== 422) break;
      keep(kept().slice(1));
      if (next.leaves) location.assign(answer.url);
    }
    tellKept();
  };
  window.addEventListener("online", send);
  let ticking;
  const tick = () => {
    const rest = document.getElementById("rest");
    const until = Number(sessionStorage.getItem("spotter.rest"));
    clearTimeout(ticking);
    if (!rest || !until) return;
    const left = Math.ceil((until - Date.now()) / 1000);
    rest.hidden = left < -5;
    rest.querySelector("b").textContent = left > 0 ? Math.floor(left / 60) + ":" + String(left % 60).padStart(2, "0") : rest.dataset.over;
    if (left === 0) navigator.vibrate?.(300);
    if (left >= -5) ticking = setTimeout(tick, 1000); else sessionStorage.removeItem("spotter.rest");
  };
  // Sets that are not ticked are left out: whoever finishes is asked.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    const left = document.querySelectorAll("[data-screen] input[type=checkbox]:not(:checked)").length;
    if (!left || !form.matches("[data-offline]") || form.dataset.saved || form.querySelector("[data-screen]")) return;
    if (!confirm(document.getElementById("kept").dataset.unticked.replace("{}", left))) stop(event);
  }, true);
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (form.action.endsWith("/sign-out")) localStorage.removeItem(KEPT);
    if (!form.matches("[data-offline]") || !navigator.locks) return;
    const screen = form.querySelector("[data-screen]:not([hidden])");
    // What leaves the page goes its usual way while there is a connection, once the sets are saved as they stand.
    const sets = !screen && document.querySelector("[data-screen]")?.closest("form");
    if (!screen && navigator.onLine && !kept().length && (!sets || form.dataset.saved)) return;
    if (sets && navigator.onLine && !kept().length) {
      event.preventDefault();
      event.stopImmediatePropagation();
      const answer = await inOrder(sets.action, bodyOf(sets)).catch(() => null);
      if (answer && !answer.ok) { sets.submit(); return; }
      form.dataset.saved = "1";
      form.requestSubmit();
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    const key = form.querySelector("[name='-key']");
    const body = bodyOf(form);
    key.value = crypto.randomUUID?.() || String(Date.now()) + Math.random();
    let answer = null;
    if (!kept().length) try { answer = await inOrder(form.action, body); } catch { /* kept below */ }
    if (answer && !answer.ok) { form.submit(); return; }
    if (!answer) keep([...kept().filter((one) => one.id !== form.id), { id: form.id, action: form.action, body, leaves: !screen }]);
    tellKept();
    if (screen) {
      sessionStorage.setItem("spotter.rest", Date.now() + 1000 * Number(screen.dataset.rest));
      tick();
      const boxes = [...screen.querySelectorAll("input[type=checkbox]")];
      if (event.submitter || boxes.every((box) => box.checked)) turn(Number(screen.dataset.screen) + 1);
    } else if (answer) location.assign(answer.url);
  }, true);
  // Before anything else hears of it: what was typed on the other screens stays.
  document.addEventListener("click", (event) => {
    const to = event.target.closest?.("[data-to]");
    if (to && document.querySelector("[data-screen]")) { event.preventDefault(); event.stopImmediatePropagation(); turn(Number(to.dataset.to)); }
  }, true);
  // A set that is done is saved at once, and the rest begins; after the last of a screen comes the next.
  on("change", (event) => {
    const screen = event.target.closest?.("[data-screen]");
    if (screen && event.target.type === "checkbox" && event.target.checked) screen.closest("form").requestSubmit();
  });

  // What can be dragged has buttons that do the same. A day goes to another day or week, an exercise to another place, what is
  // booked to another day, where it is confirmed.
  let dragged;
  on("dragstart", (event) => {
    dragged = event.target.closest?.("[data-drag]");
    if (dragged) event.dataTransfer.effectAllowed = "move";
  });
  const target = (event) => dragged && event.target.closest?.("[data-drop='" + dragged.dataset.drag + "']");
  on("dragover", (event) => {
    const over = target(event);
    document.querySelectorAll(".over").forEach((other) => other.classList.remove("over"));
    if (over) { event.preventDefault(); over.classList.add("over"); }
  });
  on("dragend", () => { dragged = null; document.querySelectorAll(".over").forEach((other) => other.classList.remove("over")); });
  on("drop", (event) => {
    const over = target(event);
    if (!over) return;
    event.preventDefault();
    if (over.dataset.set) {
      const [name, value] = over.dataset.set.split("=");
      const form = dragged.querySelector("form input[name='" + name + "']")?.form;
      if (form) { form.elements[name].value = value; form.requestSubmit(); }
    } else if (over.dataset.date) {
      const link = new URL(dragged.href);
      link.searchParams.set("to", over.dataset.date);
      // To another hour, at the same minutes.
      if (over.dataset.time) link.searchParams.set("at", over.dataset.time.slice(0, 3) + (dragged.dataset.minutes || "00"));
      location.assign(link);
    } else if (over !== dragged) sort(over);
  });
  // Writes the exercises of a day whole, in the order that they are in now.
  const sort = (over) => {
    const form = document.getElementById("order")?.querySelector("form");
    if (!form) return;
    const order = [...over.parentElement.querySelectorAll("[data-place]")].map((item) => Number(item.dataset.place));
    const [from, to] = [Number(dragged.dataset.place), Number(over.dataset.place)];
    order.splice(to, 0, ...order.splice(from, 1));
    form.querySelectorAll("input[name^='exercises.']").forEach((input) => {
      input.name = input.name.replace(/^exercises\.(\d+)\./, (_, index) => "exercises." + order.indexOf(Number(index)) + ".");
    });
    form.requestSubmit();
  };

  // A chart with many points can be looked into: the library for that comes when somebody asks.
  on("click", async (event) => {
    const zoom = event.target.closest?.("[data-zoom]");
    if (!zoom) return;
    const figure = zoom.closest("figure");
    if (!window.uPlot) {
      await Promise.all([
        new Promise((done) => { const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: zoom.dataset.style, onload: done }); document.head.append(style); }),
        new Promise((done) => { const script = Object.assign(document.createElement("script"), { src: zoom.dataset.zoom, onload: done }); document.head.append(script); }),
      ]);
    }
    const cells = [...figure.querySelectorAll("[data-value]")];
    const labels = cells.map((cell) => cell.dataset.at);
    const color = getComputedStyle(figure.querySelector("svg")).color;
    const quiet = getComputedStyle(zoom).color;
    const drawn = document.createElement("div");
    figure.querySelector("svg").replaceWith(drawn);
    zoom.remove();
    const axis = { stroke: quiet, grid: { stroke: quiet, width: 0.2 } };
    new window.uPlot({ width: drawn.clientWidth, height: 260, scales: { x: { time: false } }, legend: { live: true },
      axes: [{ ...axis, values: (_, at) => at.map((value) => labels[value] ?? "") }, axis],
      series: [{ label: "", value: (_, value) => labels[value] ?? "" }, { label: zoom.dataset.name, stroke: color, width: 2 }] },
      [cells.map((_, at) => at), cells.map((cell) => Number(cell.dataset.value))], drawn);
  });

  // What is being written to somebody is kept until it is sent, or its person signs out.
  const draft = (area) => "draft " + area.dataset.draft;
  const drafts = () => document.querySelectorAll("textarea[data-draft]").forEach((area) => { area.value ||= sessionStorage.getItem(draft(area)) || ""; });
  on("input", (event) => { if (event.target.matches?.("textarea[data-draft]")) sessionStorage.setItem(draft(event.target), event.target.value); });
  on("submit", (event) => {
    const area = event.target.querySelector?.("textarea[data-draft]");
    if (area) sessionStorage.removeItem(draft(area));
    if (event.target.action.endsWith("/sign-out")) sessionStorage.clear();
  });
  on("htmx:after:swap", drafts);
  drafts();

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
      htmx.ajax("GET", location.href, { target: "#main", select: "#main", swap: "outerHTML" });
    }, Number(shown.dataset.poll));
  };
  const start = () => {
    // Of a row of tabs that is longer than the screen, the one that is open is seen.
    document.querySelectorAll(".tabs [aria-current]").forEach((tab) => { tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft - 40; });
    look();
    tick();
    send();
    // Of a conversation, what was said last is read first.
    const said = document.querySelector("#thread .talk > li:last-child");
    if (said && !document.querySelector(".summary, .foreseen")) said.scrollIntoView({ block: "center" });
    if (listening || !document.querySelector("[data-live]") || !navigator.locks) return;
    listening = true;
    navigator.locks.request("spotter-live", () => { listen(); return new Promise(() => {}); });
  };
  start();
})();
