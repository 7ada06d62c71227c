// Texts with their mentions marked: by colour, by the kind of line below, and by a word.

import { el } from "./dom.js";
import { markdown } from "./markdown.js";
import { SHORT, foundBy, named, percent } from "./types.js";

/** Cut a text at its mentions: strings and `{ text, one }`. */
export function pieces(text, found) {
  const out = [];
  let at = 0;
  for (const one of found) {
    if (one.start > at) out.push(text.slice(at, one.start));
    out.push({ text: text.slice(one.start, one.end), one });
    at = one.end;
  }
  if (at < text.length) out.push(text.slice(at));
  return out;
}

/** Where the placeholders of mentions stand in an anonymized text. */
export function placeholdersIn(text, found) {
  const meant = new Map();
  for (const one of found) if (one.placeholder) meant.set(one.placeholder, one);
  if (!meant.size) return [];
  const words = [...meant.keys()].sort((one, other) => other.length - one.length).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return Array.from(text.matchAll(new RegExp(words.join("|"), "g")), (match) => ({
    ...meant.get(match[0]), start: match.index, end: match.index + match[0].length,
  }));
}

/** A mark that can only be looked at. */
export function mark(text, one, title = "") {
  return el("mark", { class: one.private ? "span hidden-span" : "span kept-span", title, data: { type: one.type } }, text);
}

/** A text with marks behind it, for the back of the field in which it is written. */
export function marked(text, found) {
  return pieces(text, found).map((piece) => (typeof piece === "string" ? piece : mark(piece.text, piece.one)));
}

/** Mark lightly what was taken for the question: a highlight over the text, no element of its own. */
export function markQuestions(view, questions) {
  if (!window.CSS?.highlights) return;
  const ranges = [];
  const walker = document.createTreeWalker(view, NodeFilter.SHOW_TEXT);
  let at = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const [start, end] of questions) {
      if (start >= at + node.length || end <= at) continue;
      const range = new StaticRange({
        startContainer: node, startOffset: Math.max(0, start - at), endContainer: node, endOffset: Math.min(node.length, end - at),
      });
      ranges.push(range);
    }
    at += node.length;
  }
  CSS.highlights.set(`question-${view.id}`, new Highlight(...ranges));
}

/** An anonymized text with its placeholders marked; each tells on the pointer what it stands for. */
export function markedPlaceholders(text, found) {
  return pieces(text, placeholdersIn(text, found)).map((piece) =>
    typeof piece === "string" ? piece : mark(piece.text, piece.one, `stands for ${piece.one.text}`),
  );
}

/** An anonymized answer as Markdown, its placeholders marked as in `markedPlaceholders`. */
export function markdownWithPlaceholders(text, found) {
  return markdown(text, placeholdersIn(text, found), (words, one) => mark(words, one, `stands for ${one.text}`));
}

/** A mark that can be reached, read out and acted on. */
export function button(text, one, index, label) {
  return el("span", {
    class: one.private ? "span hidden-span" : "span kept-span", role: "button", tabindex: "-1",
    data: { type: one.type, index: String(index), short: one.private ? SHORT[one.type] : "visible" },
    aria: { label: label ?? spoken(one) }, title: `${named(one.subtype)} · ${foundBy(one.views)} · ${percent(one.score)} sure`,
  }, text);
}

export function spoken(one) {
  const done = one.private ? `hidden${one.placeholder ? ` as ${one.placeholder}` : ""}` : "stays visible";
  return `${one.text}: ${named(one.subtype)}, ${done}`;
}
