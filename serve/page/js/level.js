// How much is hidden: a choice of three, each with a sentence.

import { announce, byId, el } from "./dom.js";
import { level, levels, prefer } from "./preferences.js";
import { reviewSoon } from "./review.js";
import { on, state } from "./store.js";

const NAMES = { strict: "Strict", balanced: "Balanced", open: "Open" };
const SENTENCES = {
  strict: "Everything private is hidden, whatever you ask; dates and sums are reckoned with all the same.",
  balanced: "What must be understood for your question, such as an illness or a country, stays or is told roughly. Names, codes, contacts and addresses never are.",
  open: "Whatever your question needs stays as it is, but for names and passwords.",
};

export function startLevel() {
  on("about", () => { draw(); if (state.text.trim()) reviewSoon(0); });
  draw();
}

function draw() {
  byId("levels").replaceChildren(...levels().map((name) => el("button", {
    type: "button", data: { level: name }, aria: { pressed: String(name === level()) }, onclick: () => choose(name),
  }, NAMES[name])));
  byId("level-help").textContent = SENTENCES[level()];
}

function choose(name) {
  prefer("privacy", name);
  draw();
  byId("levels").querySelector(`[data-level=${name}]`).focus();
  announce(SENTENCES[name]);
  reviewSoon(0);
}
