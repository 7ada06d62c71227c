// What is known of one span, and what can be done with it. Keys on the span do the same.

import { announce, byId, el } from "./dom.js";
import { decisionOn } from "./decisions.js";
import { makeDecision, takeBack } from "./review.js";
import { state } from "./store.js";
import { SHORT, TYPES, foundBy, named, percent } from "./types.js";

const box = byId("inspector");

box.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  event.preventDefault();
  byId("checked").querySelector('[tabindex="0"]')?.focus();
});

export function dismissInspector() {
  box.replaceChildren(el("p", { class: "hint" }, state.text.trim() ? "Nothing was found. Select words to hide them." : "There is no text yet."));
}

export const isOwn = (one) => Boolean(decisionOn(state.decisions, state.text, one.start, one.end));

/** Show a mention. */
export function inspect(one) {
  const own = isOwn(one);
  const held = box.contains(document.activeElement) ? document.activeElement.dataset.part : null;
  box.replaceChildren(
    el("div", { class: "about-span" },
      el("strong", { class: "chip", data: { type: one.type } }, SHORT[one.type]),
      el("span", { class: "quote" }, one.text),
      el("span", { class: "fact" }, one.private ? "leaves as " : one.needed ? "leaves as it is: the question needs it" : "leaves as it is"),
      one.private && el("code", {}, one.placeholder ?? "…"),
      one.private && one.generalised && el("span", { class: "fact" }, "told roughly, for the question")),
    el("p", { class: "hint" }, `Found by: ${foundBy(one.views)} · ${percent(one.score)} sure`,
      one.subject ? ` · belongs to ${one.subject}` : "", own ? " · changed by you" : ""),
    el("div", { class: "row" },
      act("hide", "Hide", one.private, () => decideOn(one, { private: true })),
      act("keep", "Keep visible", !one.private, () => decideOn(one, { private: false })),
      typeSelect(one.subtype, (subtype) => decideOn(one, { subtype })),
      subjectSelect(one),
      own && el("button", { type: "button", class: "small plain", data: { part: "undo" }, onclick: () => takeBack(one.start, one.end) }, "Undo"),
      one.private && namesOf(one.subject).length > 1 && el("button", { type: "button", class: "small plain", data: { part: "person" }, onclick: () => keepPerson(one.subject) }, `Keep all names of ${one.subject} visible`)),
  );
  if (held) box.querySelector(`[data-part="${held}"]`)?.focus();
}

/** Show what is selected, and what can be made of it. */
export function inspectSelection(stretch, decide) {
  let subtype = guess(stretch);
  box.replaceChildren(
    el("div", { class: "about-span" }, el("strong", { class: "chip" }, "new"), el("span", { class: "quote" }, state.text.slice(stretch.start, stretch.end))),
    el("div", { class: "row" },
      typeSelect(subtype, (chosen) => { subtype = chosen; }),
      el("button", { type: "button", class: "small", data: { part: "hide" }, onclick: () => decide({ ...stretch, private: true, subtype }) }, "Hide it"),
      el("button", { type: "button", class: "small", data: { part: "keep" }, onclick: () => decide({ ...stretch, private: false, subtype }) }, "Keep visible")),
  );
}

function guess(stretch) {
  const known = state.found.find((one) => one.start < stretch.end && stretch.start < one.end);
  return known?.subtype ?? "other_id";
}

export function openType() {
  const select = box.querySelector("select[data-part=type]");
  select?.focus();
  try {
    select?.showPicker();
  } catch {
    // Older browsers open it with the next key.
  }
}

function act(part, label, pressed, doIt) {
  return el("button", { type: "button", class: "small", data: { part }, aria: { pressed: String(pressed) }, onclick: doIt }, label);
}

function decideOn(one, change) {
  const before = decisionOn(state.decisions, state.text, one.start, one.end);
  return makeDecision({
    start: one.start, end: one.end, private: one.private, subtype: one.subtype,
    ...(before?.subject ? { subject: before.subject } : {}), ...change,
  });
}

/** A choice of type, in groups. */
export function typeSelect(subtype, choose) {
  const groups = Object.entries(state.about?.types ?? {}).map(([type, subtypes]) =>
    el("optgroup", { label: TYPES[type] ?? type }, ...subtypes.map((name) => el("option", { value: name, selected: name === subtype }, named(name)))));
  const select = el("select", { data: { part: "type" }, aria: { label: "Type" } }, ...groups);
  select.addEventListener("change", () => choose(select.value));
  return select;
}

/** A choice of the person whom a mention belongs to. */
export function subjectSelect(one) {
  const known = [...new Set(state.found.map((mention) => mention.subject).filter(Boolean))].sort();
  const next = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("").find((letter) => !known.includes(letter));
  const letters = [...known, ...(next ? [next] : [])];
  const select = el("select", { data: { part: "subject" }, aria: { label: "Whose it is" } },
    el("option", { value: "-", selected: !one.subject }, "nobody's"),
    ...letters.map((letter) => el("option", { value: letter, selected: letter === one.subject }, letter === next ? `${letter} (new)` : letter)));
  select.addEventListener("change", () => decideOn(one, { subject: select.value }));
  return select;
}

/** The names of a person that are hidden, each once. */
function namesOf(subject) {
  const seen = new Set();
  return state.found.filter((one) => subject && one.subject === subject && one.type === "PER" && one.private && !seen.has(one.text) && seen.add(one.text));
}

async function keepPerson(subject) {
  let last = null;
  for (const one of namesOf(subject)) last = makeDecision({ start: one.start, end: one.end, private: false, subtype: one.subtype });
  await last;
  announce(`All names of ${subject} stay visible and will leave.`);
}
