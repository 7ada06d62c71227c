// A block of code with its language and a button that copies it.

import { copyButton, el } from "./dom.js";

export function codeBlock(language, words, context) {
  return el("div", { class: "code" },
    el("div", { class: "code-head" }, el("span", { class: "fact" }, context.filled(language || "code")), copyButton("Copy code", "The code", () => context.source(words))),
    el("pre", { tabindex: "0", role: "group", aria: { label: "Code of the answer" } }, el("code", {}, context.filled(words))));
}
