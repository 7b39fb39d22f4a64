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

const copy = async (button) => {
  const link = button.dataset.copy || location.href;
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(link);
    button.textContent = "Copied";
    say("Link copied");
  } catch {
    prompt("The link", link);
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
