// Keyboard, copying links, marking rounds, and what a reader unfolded. Every page works without this file.
"use strict";

const folds = new Map();
const say = (text) => {
  const place = document.getElementById("said");
  if (place && text) place.textContent = text;
};

// A reader's folds stay as they are when a part of the page is replaced.
document.addEventListener("toggle", (event) => {
  const one = event.target;
  if (one instanceof HTMLDetailsElement && one.id && !refolding) folds.set(one.id, one.open);
}, true);
let refolding = false;
const refold = () => {
  refolding = true;
  for (const one of document.querySelectorAll("details[id]")) {
    if (folds.has(one.id)) one.open = folds.get(one.id);
    else if ("wideOpen" in one.dataset) one.open = matchMedia("(min-width: 56.01rem)").matches;
  }
  setTimeout(() => { refolding = false; });
};

// The filters stay when the list beside them is replaced; what they count is said with the list.
const recount = () => {
  const told = document.querySelector("#results[data-counts]");
  const counts = told ? JSON.parse(told.dataset.counts) : {};
  for (const one of document.querySelectorAll('.facets input[name="tick"]')) {
    const place = one.parentElement.querySelector(".count");
    if (one.value in counts) place.textContent = counts[one.value];
  }
  if (told) for (const one of document.querySelectorAll("input[data-keep]")) one.value = told.dataset[one.dataset.keep];
};

document.addEventListener("htmx:after:swap", () => {
  refold();
  recount();
  const told = document.querySelector("#results[data-said], #main[data-said]");
  if (told) say(told.dataset.said);
});

// News of a run do not take a text away that somebody is marking.
document.addEventListener("htmx:before:request", (event) => {
  const source = event.target;
  const own = source.id === "results" || source.id === "went-on";
  if (own && event.detail.ctx.sourceEvent.type === "news" && !getSelection().isCollapsed) event.preventDefault();
});

// Rounds that speak against a strategy, marked in the strip; its line in the chart.
const mark = (one) => {
  for (const cell of document.querySelectorAll("td.is-against")) cell.classList.remove("is-against");
  for (const chart of document.querySelectorAll(".chart.dim")) chart.classList.remove("dim");
  for (const line of document.querySelectorAll(".chart .lit")) line.classList.remove("lit");
  if (!one) return;
  const { for: seat, strategy } = one.dataset;
  const rounds = new Set((one.dataset.against || "").split(" "));
  for (const cell of document.querySelectorAll(`tr[data-seat="${CSS.escape(seat)}"] td`)) {
    cell.classList.toggle("is-against", rounds.has(cell.dataset.round));
  }
  const chart = one.closest(".panel").querySelector(".chart");
  const line = chart && chart.querySelector(`g[data-line="${CSS.escape(strategy)}"]`);
  if (line) {
    chart.classList.add("dim");
    line.classList.add("lit");
  }
};
for (const kind of ["mouseover", "focusin"]) {
  document.addEventListener(kind, (event) => {
    const one = event.target.closest?.("[data-against]");
    if (one) mark(one);
    else if (kind === "mouseover" && !document.activeElement?.matches("[data-against]")) mark(null);
  });
}
document.addEventListener("focusout", () => mark(null));

const copy = async (button, words) => {
  const link = words ?? (button.dataset.copy || location.href);
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(link);
    button.textContent = "Copied";
    say(words === undefined ? "Link copied" : "Copied");
  } catch {
    prompt("Copy this", link.slice(0, 2000));
  }
  setTimeout(() => { button.textContent = before; }, 1500);
};

document.addEventListener("click", (event) => {
  const copies = event.target.closest("[data-copy], [data-copy-here]");
  if (copies) copy(copies);
  const opens = event.target.closest("[data-open]");
  if (opens) document.getElementById(opens.dataset.open).showModal();
  for (const one of document.querySelectorAll("details.columns[open]")) {
    if (!one.contains(event.target)) one.open = false;
  }
});

const KEYS = "intent-keys";
const follow = (selector) => document.querySelector(selector)?.click();
const step = (by) => {
  const games = [...document.querySelectorAll("a.game")];
  if (!games.length) return follow(by > 0 ? "#game-following" : "#game-previous");
  const now = games.findIndex((one) => one.closest("tr").contains(document.activeElement));
  const next = games[now < 0 ? (by > 0 ? 0 : games.length - 1) : Math.min(Math.max(now + by, 0), games.length - 1)];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
};
const ACTIONS = {
  j: () => step(1),
  k: () => step(-1),
  ArrowRight: () => follow("#page-following, #game-following"),
  ArrowLeft: () => follow("#page-previous, #game-previous"),
  u: () => follow("#back"),
  c: () => follow(".copy"),
  n: () => stepRound(1),
  p: () => stepRound(-1),
  e: () => foldAll(!document.querySelector("details.round[open]")),
  "?": () => document.getElementById("help").showModal(),
  "/": () => {
    const fold = document.getElementById("f-all");
    if (!fold) return follow("#back");
    fold.open = true;
    document.getElementById("add").focus();
  },
};
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    for (const one of document.querySelectorAll("details.columns[open]")) one.open = false;
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in ACTIONS)) return;
  if (event.target.closest("input, textarea, select, dialog, [contenteditable]")) return;
  if (event.key.startsWith("Arrow") && event.target.closest(".wide")) return; // arrows scroll a table that has focus
  if (localStorage.getItem(KEYS) === "off" && event.key !== "?") return;
  event.preventDefault();
  ACTIONS[event.key]();
});
let typing;
document.addEventListener("input", (event) => {
  if (!event.target.matches("input.typed")) return;
  clearTimeout(typing);
  typing = setTimeout(() => event.target.form?.dispatchEvent(new Event("typed")), 250);
});
document.addEventListener("change", (event) => {
  if (event.target.id === "keys-on") localStorage.setItem(KEYS, event.target.checked ? "on" : "off");
});

document.addEventListener("DOMContentLoaded", () => {
  document.getElementById("keys-on").checked = localStorage.getItem(KEYS) !== "off";
  refold();
});

// Transcript: a round opens from the strip, the outline, the chart and the address; marks go along with it.
document.documentElement.classList.add("js");
const roundOf = (number) => document.getElementById(`fold-${number}`);
const markRound = (number) => {
  for (const one of document.querySelectorAll(".is-now")) one.classList.remove("is-now");
  for (const one of document.querySelectorAll(".chart .now")) one.remove();
  if (number === null) return;
  for (const one of document.querySelectorAll(`[data-to-round="${CSS.escape(number)}"]`)) (one.closest("li, th") ?? one).classList.add("is-now");
  for (const chart of document.querySelectorAll(".chart[data-to]")) {
    const { left, right, bottom, from, to } = chart.dataset;
    const share = (number - from) / Math.max(to - from, 1);
    if (share < 0 || share > 1) continue;
    const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    const x = Number(left) + share * (right - left);
    for (const [name, value] of Object.entries({ class: "now", x1: x, x2: x, y1: 0, y2: bottom })) line.setAttribute(name, value);
    chart.append(line);
  }
};
let opened = "";
const here = (number) => {
  history.replaceState(history.state, "", number === null ? location.pathname + location.search : `#round-${number}`);
  opened = location.href;
};
const openRound = (number) => {
  const one = roundOf(number);
  if (!one) return false;
  one.open = true;
  markRound(number);
  one.querySelector("summary").focus({ preventScroll: true });
  one.scrollIntoView({ block: "start" });
  return true;
};
const stepRound = (by) => {
  const rounds = [...document.querySelectorAll("details.round")];
  const now = rounds.findIndex((one) => one.contains(document.activeElement));
  const next = rounds[now < 0 ? (by > 0 ? 0 : rounds.length - 1) : Math.min(Math.max(now + by, 0), rounds.length - 1)];
  if (!next) return;
  if (now >= 0 && next !== rounds[now]) rounds[now].open = false;
  openRound(next.dataset.number);
  here(next.dataset.number);
};
const foldAll = (open) => {
  const rounds = document.querySelectorAll("details.round");
  if (!rounds.length) return;
  for (const one of rounds) one.open = open;
  if (!open) { markRound(null); here(null); }
  say(open ? "All rounds are expanded" : "All rounds are collapsed");
};
// News of a run replace the page: the round is marked again, but nobody is taken away from where they read.
const openFromAddress = () => {
  const number = /^#round-(\d+)$/.exec(location.hash)?.[1];
  if (!number || !roundOf(number)) return;
  if (location.href === opened) markRound(number);
  else openRound(number);
  opened = location.href;
};
const wholeText = async (button) => {
  const shown = button.closest(".raw").querySelector(".words").textContent;
  if (!button.dataset.whole) return shown;
  try {
    return await (await fetch(button.dataset.whole)).text();
  } catch {
    say("Only the beginning could be copied");
    return shown;
  }
};
document.addEventListener("click", async (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const to = event.target.closest("[data-to-round]");
  const chart = event.target.closest(".chart[data-to]");
  const fold = event.target.closest("[data-fold]");
  const link = event.target.closest("[data-copy-round]");
  const text = event.target.closest("[data-copy-text]");
  const save = event.target.closest("[data-save]");
  if (to && openRound(to.dataset.toRound)) {
    event.preventDefault();
    here(to.dataset.toRound);
  } else if (chart) {
    const { left, right, from, to: last } = chart.dataset;
    const box = chart.getBoundingClientRect();
    const x = (event.clientX - box.left) * (chart.viewBox.baseVal.width / box.width);
    const number = Math.round(Number(from) + (last - from) * Math.min(Math.max((x - left) / (right - left), 0), 1));
    if (openRound(Math.max(number, 1))) here(Math.max(number, 1));
  } else if (fold) {
    event.preventDefault();
    foldAll(fold.dataset.fold === "open");
  } else if (link) {
    const base = document.getElementById("main").dataset.link;
    const number = link.dataset.copyRound;
    copy(link, base ? `${base}&round=${number}#round-${number}` : `${location.href.split("#")[0]}#round-${number}`);
  } else if (text) {
    copy(text, await wholeText(text));
  } else if (save) {
    const a = document.createElement("a");
    a.href = URL.createObjectURL(new Blob([save.closest(".raw").querySelector(".words").textContent], { type: "text/plain" }));
    a.download = save.dataset.save;
    a.click();
    URL.revokeObjectURL(a.href);
  }
});
document.addEventListener("toggle", (event) => {
  if (event.target.matches?.("details.round") && event.target.open && event.target.contains(document.activeElement)) markRound(event.target.dataset.number);
}, true);
addEventListener("hashchange", () => { opened = ""; openFromAddress(); });
document.addEventListener("htmx:after:swap", openFromAddress);
document.addEventListener("DOMContentLoaded", openFromAddress);
