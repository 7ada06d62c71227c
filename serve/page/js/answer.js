// An answer as it is read: Markdown with the restored values marked, who gave it, and how it was found.

import { copyButton, el } from "./dom.js";
import { markdown } from "./markdown.js";
import { markedPlaceholders, pieces } from "./marks.js";
import { Offsets } from "./offsets.js";
import { ROUTES, VERDICTS } from "./types.js";
import { state } from "./store.js";

/** Where values were put back, in UTF-16 units. */
function places(text, restored) {
  const offsets = new Offsets(text);
  return (restored ?? []).map((one) => ({ ...one, start: offsets.toUnits(one.start), end: offsets.toUnits(one.end) }));
}

/** The answer with the placeholders that the model wrote. */
export function withPlaceholders(text, restored) {
  return pieces(text, places(text, restored)).map((piece) => (typeof piece === "string" ? piece : piece.one.placeholder)).join("");
}

/** A restored text as Markdown, the values that were put back marked. */
export function restoredText(text, restored) {
  return el("div", { class: "answer-text" },
    markdown(text, places(text, restored), (words, one) => el("mark", { class: "restored", title: `put back for ${one.placeholder}` }, words)));
}

/** How many values were put back, in words. */
export function counted(restored) {
  const count = restored?.length ?? 0;
  return count ? `${count} private ${count === 1 ? "value was" : "values were"} put back on this side (marked).` : "No private value had to be put back.";
}

/** An answer with what belongs to it. `asked` says who was asked, as it was when the text was sent. */
export function answer(reply, asked = null) {
  return [
    el("p", { class: "answered-by" }, answeredBy(reply, asked)),
    restoredText(reply.answer, reply.restored),
    el("p", { class: "hint" }, counted(reply.restored)),
    el("div", { class: "row" },
      copyButton("Copy answer", "The answer", () => reply.answer),
      reply.restored?.length > 0 && copyButton("Copy with placeholders", "The answer with placeholders", () => withPlaceholders(reply.answer, reply.restored))),
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

