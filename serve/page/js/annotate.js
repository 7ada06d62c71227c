// PII-Bench's three views of a text: what is private and whose, what a question needs of it, and the masked text.

import { announce, byId, copyButton, el, showProblem } from "./dom.js";
import { focusSpan } from "./checking.js";
import { maskedText, obstacle, record } from "./record.js";
import { on, state, tell } from "./store.js";
import { SHORT, named } from "./types.js";

const VIEWS = [["detection", "1 Detection"], ["query", "2 Question"], ["masking", "3 Masking"]];
let shown = "detection";
let style = "category";

export function startAnnotating() {
  const box = byId("annotate");
  box.append(
    el("div", { class: "card-head" }, el("h2", { id: "annotate-title" }, "Annotation"),
      el("div", { class: "segment", role: "tablist", aria: { label: "Views of the annotation" } },
        ...VIEWS.map(([name, label]) => el("button", {
          type: "button", role: "tab", id: `tab-${name}`, data: { view: name },
          aria: { controls: "annotate-view", selected: String(name === shown) }, tabindex: name === shown ? "0" : "-1",
          onclick: () => choose(name), onkeydown: onTabKey }, label)))),
    el("div", { id: "annotate-view", role: "tabpanel", aria: { labelledby: `tab-${shown}` }, tabindex: "0" }),
    el("div", { class: "card-foot" },
      el("p", { class: "hint" }, "A record as gama eval reads it, with PII-Bench's fields."),
      el("span", { class: "spread" }),
      el("button", { type: "button", class: "primary", id: "export", onclick: save }, "Export record")));
  for (const kind of ["review", "mode"]) on(kind, draw);
  on("text", () => { if (!state.text) draw(); });
}

function onTabKey(event) {
  const at = VIEWS.findIndex(([name]) => name === shown);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const [name] = VIEWS[(at + step + VIEWS.length) % VIEWS.length];
  choose(name);
  byId(`tab-${name}`).focus();
}

function choose(name) {
  shown = name;
  for (const tab of byId("annotate").querySelectorAll("[role=tab]")) {
    const here = tab.dataset.view === name;
    tab.setAttribute("aria-selected", String(here));
    tab.tabIndex = here ? 0 : -1;
  }
  byId("annotate-view").setAttribute("aria-labelledby", `tab-${name}`);
  draw();
}

function draw() {
  if (state.mode !== "annotate") return;
  const view = byId("annotate-view");
  byId("export").disabled = !state.current || !state.text.trim();
  if (!state.text.trim()) {
    view.replaceChildren(el("p", { class: "empty" }, "Write or drop a text, then check its spans on the left."));
    return;
  }
  // The field of the question keeps its focus while the rest is drawn anew.
  const held = view.contains(document.activeElement) ? document.activeElement.id : "";
  view.replaceChildren(...{ detection, query: querying, masking }[shown]());
  if (held) byId(held)?.focus();
}

/** Mentions by person. */
function detection() {
  const groups = new Map();
  for (const one of state.found) {
    const whose = one.private ? (one.subject ?? "nobody's") : "public";
    groups.set(whose, [...(groups.get(whose) ?? []), one]);
  }
  const order = [...groups.keys()].sort((one, other) => (one.length > 2) - (other.length > 2) || one.localeCompare(other));
  if (!order.length) return [el("p", { class: "empty" }, "Nothing was found. Select words on the left to add them.")];
  return order.map((whose) => el("section", { class: "subject" },
    el("h3", {}, whose === "public" ? "Visible" : whose === "nobody's" ? "Nobody's" : `Subject ${whose}`),
    el("ul", { class: "chips" }, ...groups.get(whose).map((one) => el("li", {},
      el("button", { type: "button", class: "mention", data: { type: one.type }, onclick: () => { tell("check"); focusSpan(state.found.indexOf(one)); } },
        el("span", { class: "chip", data: { type: one.type } }, SHORT[one.type]), el("span", { class: "quote" }, one.text), el("span", { class: "fact" }, named(one.subtype))))))));
}

/** Which mentions a question needs. */
function querying() {
  const field = el("textarea", { id: "query", rows: "3", value: state.query, spellcheck: "false", placeholder: "What is asked about the text?" });
  field.addEventListener("input", () => { state.query = field.value; });
  const surfaces = new Map();
  for (const one of state.found) if (!surfaces.has(one.text)) surfaces.set(one.text, one);
  return [
    el("div", { class: "field" }, el("label", { for: "query" }, "Question"), field),
    el("fieldset", {}, el("legend", {}, "Needed to answer it"),
      ...[...surfaces.values()].map((one, index) => {
        const box = el("input", { type: "checkbox", id: `need-${index}`, checked: state.needed.has(one.text) });
        box.addEventListener("change", () => {
          if (box.checked) state.needed.add(one.text);
          else state.needed.delete(one.text);
          announce(box.checked ? `${one.text} is needed.` : `${one.text} is not needed.`);
        });
        return el("label", { class: "need", for: `need-${index}` }, box, el("span", { class: "chip", data: { type: one.type } }, SHORT[one.type]), el("span", { class: "quote" }, one.text), el("span", { class: "fact" }, named(one.subtype)));
      })),
    el("p", { class: "hint" }, "Names of persons are never among what PII-Bench counts as needed; gama's own records may have them."),
  ];
}

/** The text with all masked that the question does not need. */
function masking() {
  const masked = maskedText(state.text, state.found, state.needed, style);
  const select = el("select", { id: "mask-style" }, ...[["category", "<Phone Number>"], ["type", "<CODE>"], ["indexed", "<phone-1>"]].map(([value, label]) => el("option", { value, selected: value === style }, label)));
  select.addEventListener("change", () => { style = select.value; draw(); });
  return [
    el("div", { class: "row" }, el("label", { for: "mask-style" }, "Written as"), select, copyButton("Copy", "The masked text", () => masked)),
    el("div", { class: "leaving-text", id: "masked" }, masked),
  ];
}

/** Offer the record as a file; it is made here and sent nowhere. */
function save() {
  const problem = obstacle(state.text, state.found);
  if (problem) {
    showProblem(problem);
    return;
  }
  const line = JSON.stringify(record(state.text, state.found, state.query, state.needed, `page-${state.thread.slice(0, 8)}`));
  const url = URL.createObjectURL(new Blob([`${line}\n`], { type: "application/jsonl" }));
  const link = el("a", { href: url, download: `record-${state.thread.slice(0, 8)}.jsonl` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
  announce("The record was exported.");
}
