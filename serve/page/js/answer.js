// An answer as it is read: Markdown with the restored values marked, who gave it, and how it was found.

import { copyButton, el } from "./dom.js";
import { markdown } from "./markdown.js";
import { markedPlaceholders, pieces } from "./marks.js";
import { Offsets } from "./offsets.js";
import { ROUTES, VERDICTS } from "./types.js";
import { state } from "./store.js";

/** Where values were put back and formulas gave something, in UTF-16 units; what stands in a result belongs to it. */
function places(text, restored, formulas) {
  const offsets = new Offsets(text);
  const reckoned = (formulas ?? []).filter((one) => one.start < one.end);
  const others = (restored ?? []).filter((one) => !reckoned.some((formula) => formula.start <= one.start && one.end <= formula.end));
  return [...reckoned, ...others].sort((one, other) => one.start - other.start)
    .map((one) => ({ ...one, start: offsets.toUnits(one.start), end: offsets.toUnits(one.end) }));
}

/** The answer with the placeholders and formulas that the model wrote. */
export function withPlaceholders(text, restored, formulas) {
  return pieces(text, places(text, restored, formulas)).map((piece) => (typeof piece === "string" ? piece : piece.one.formula ?? piece.one.placeholder)).join("");
}

/** A restored text as Markdown, marked where values were put back and formulas gave something. */
export function restoredText(text, restored, formulas, entities) {
  const box = el("div", { class: "answer-text" },
    markdown(text, places(text, restored, formulas), (words, one) => (one.formula ? result(words, one, entities)
      : el("mark", { class: "restored", title: `put back for ${one.placeholder}` }, words))));
  // A link is reached by itself.
  for (const node of box.querySelectorAll("a .reckoned")) node.removeAttribute("tabindex");
  return box;
}

let results = 0;

/** A result; pointer and keyboard tell its formula, what went into it, what it leaves out, and why it gave nothing. */
function result(words, one, entities) {
  const id = `result-${results += 1}`;
  const meant = new Map((entities ?? []).map((entity) => [entity.placeholder, entity.text]));
  const inputs = one.inputs.map((name) => (meant.has(name) ? `${name} = ${meant.get(name)}` : name));
  const node = el("span", { class: "reckoned", tabindex: "0", aria: { describedby: id } },
    el("mark", { class: one.reason ? "restored failed" : "restored" }, words),
    el("span", { class: "tip", role: "tooltip", id },
      el("span", {}, one.reason ? `Could not be reckoned here: ${one.reason}.` : "Reckoned here, on this side."), el("code", {}, one.formula),
      inputs.length > 0 && el("span", {}, `with ${inputs.join(", ")}`), one.note && el("span", {}, `${one.note}.`)));
  node.addEventListener("pointerenter", () => node.classList.remove("closed"));
  return node;
}

document.addEventListener("focusin", ({ target }) => {
  for (const node of [target.closest(".reckoned"), ...target.querySelectorAll(".reckoned")]) node?.classList.remove("closed");
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") for (const node of document.querySelectorAll(".reckoned")) node.classList.add("closed");
});

/** How many values were put back, in words. */
export function counted(restored) {
  const count = restored?.length ?? 0;
  return count ? `${count} private ${count === 1 ? "value was" : "values were"} put back on this side (marked).` : "No private value had to be put back.";
}

/** An answer with what belongs to it. `asked` says who was asked, as it was when the text was sent. */
export function answer(reply, asked = null) {
  return [
    el("p", { class: "answered-by" }, answeredBy(reply, asked)),
    restoredText(reply.answer, reply.restored, reply.formulas, reply.entities),
    el("p", { class: "hint" }, counted(reply.restored)),
    el("div", { class: "row" },
      copyButton("Copy answer", "The answer", () => reply.answer),
      reply.restored?.length > 0 && copyButton("Copy with placeholders", "The answer with placeholders", () => withPlaceholders(reply.answer, reply.restored, reply.formulas))),
    reply.warnings.length > 0 && el("ul", { class: "notes" }, reply.warnings.map((warning) => el("li", {}, warning))),
    facts(reply),
  ].filter(Boolean);
}

/** Who gave an answer: the model that the server says has answered, at the host that was asked. */
function answeredBy(reply, asked) {
  const model = (reply.models?.public ?? "").replace(/^[a-z_]+:/, "");
  if (asked?.standin || !model || /^stand-?in/.test(model)) return "Answered by the built-in stand-in on this server; nothing left it.";
  return `Answered by ${model}${asked?.host ? ` at ${asked.host}` : ""}.`;
}

function facts(reply) {
  const rows = [
    ["Public model", reply.models?.public], ["On this server", reply.models?.private === "embedded" ? "the built-in detector" : reply.models?.private],
    ["Way to the answer", ROUTES[reply.route] ?? reply.route],
    ["Cross-checks", `${reply.rounds}: ${VERDICTS[reply.verdict] ?? reply.verdict}`],
    ["Calls and tokens", `${reply.usage?.calls ?? 0} calls, ${(reply.usage?.input_tokens ?? 0) + (reply.usage?.output_tokens ?? 0)} tokens`],
    ["Conversation", reply.thread],
  ];
  return el("details", { class: "facts" }, el("summary", {}, "How it was answered"),
    el("dl", {}, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, String(value ?? "–"))])),
    el("h3", {}, "What left"), el("div", { class: "leaving-text" }, ...markedPlaceholders(reply.anonymized, state.found)));
}

