// What would leave, live, beside the original; and a table of what was found.

import { keepBox, shortened } from "./boxes.js";
import { byId, copy, announce, el } from "./dom.js";
import { markedPlaceholders } from "./marks.js";
import { takeChange } from "./review.js";
import { on, state } from "./store.js";
import { SHORT, foundBy, named, percent } from "./types.js";

export function startLeaving() {
  byId("copy-leaving").addEventListener("click", () => {
    copy(state.anonymized, "The text that leaves");
    // What is copied goes elsewhere: this box restores what comes back, however the text is changed meanwhile.
    keepBox({ name: `Copied: ${shortened(state.text)}`, box: state.box, thread: state.thread });
  });
  on("review", show);
  on("reviewing", () => byId("leaving").classList.add("busy"));
  on("text", () => byId("leaving").classList.add("busy"));
  on("mode", show);
  show();
}

let said = "";

function show() {
  const hidden = state.found.filter((one) => one.private).length;
  const kept = state.found.length - hidden;
  byId("leaving").classList.toggle("busy", !state.current && Boolean(state.text.trim()) && !state.reviewProblem);
  byId("leaving-text").replaceChildren(
    ...(state.anonymized ? markedPlaceholders(state.anonymized, state.found) : [el("span", { class: "hint" }, "Here you see, as you write, what would leave. Nothing leaves before you send it. Look it over: what was not found would leave too.")]),
  );
  byId("copy-leaving").disabled = !state.anonymized;
  const told = state.text.trim() && state.current ? `${hidden} hidden${kept ? `, ${kept} visible` : ""}` : "";
  byId("count").textContent = told;
  if (told && told !== said) announce(told);
  said = told;
  byId("leaving-notes").replaceChildren(
    ...(state.reviewProblem ? [el("li", { class: "bad" }, state.reviewProblem)] : []),
    ...(state.current ? state.questions : []).map(([start, end]) => el("li", { class: "taken" }, "Taken for the question: ", el("q", {}, state.text.slice(start, end)))),
    ...(state.current && state.mode === "ask" && state.earlier.length ? [el("li", {}, earlierTurns())] : []),
    ...state.warnings.map((warning) => el("li", {}, warning)),
  );
  showChanges();
  byId("found").hidden = !state.found.length;
  byId("found-list").replaceChildren(table(state.found));
}

/** The turns of this conversation that the model is shown again, as they leave. */
function earlierTurns() {
  const many = state.earlier.length === 1 ? "What you asked before, and its answer, goes" : `${state.earlier.length} earlier turns, with their answers, go`;
  return el("details", { class: "along" },
    el("summary", {}, `${many} along`),
    ...state.earlier.flatMap((turn) => [el("div", { class: "turn-text" }, ...markedPlaceholders(turn.text, state.found)), el("div", { class: "turn-text answer" }, turn.answer)]));
}

/** What was rewritten, stretch by stretch, each taken or left. */
function showChanges() {
  const list = byId("changes-list");
  const held = list.contains(document.activeElement) ? document.activeElement.dataset.number : null;
  byId("changes").hidden = !state.changes.length;
  list.replaceChildren(...state.changes.map((one, index) => {
    const number = index + 1;
    const box = el("input", { type: "checkbox", data: { number: String(number) }, checked: !state.left.includes(number) });
    box.addEventListener("change", async () => {
      const looked = await takeChange(number, box.checked);
      if (looked) announce(state.left.includes(number) ? `Change ${number} is left: what stood there leaves.` : `Change ${number} is taken.`);
    });
    const after = one.after ? el("ins", {}, one.after) : el("span", { class: "hint" }, "left out");
    return el("li", {}, el("label", { class: "change" }, box, el("span", {}, el("del", {}, one.before || "nothing"), " → ", after)));
  }));
  if (held) list.querySelector(`[data-number="${held}"]`)?.focus({ preventScroll: true });
}

/** A table of mentions: what, who found it, how sure, what becomes of it. */
export function table(found) {
  const head = ["Text", "Type", "Found by", "Sure", "Whose", "Leaves as"];
  return el("table", {},
    el("thead", {}, el("tr", {}, ...head.map((title) => el("th", { scope: "col" }, title)))),
    el("tbody", {}, ...found.map((one) => el("tr", {},
      el("td", { class: "quote" }, one.text),
      el("td", {}, el("span", { class: "chip", data: { type: one.type } }, SHORT[one.type]), " ", named(one.subtype)),
      el("td", {}, foundBy(one.views)),
      el("td", { class: "number" }, percent(one.score)),
      el("td", {}, one.subject ?? "–"),
      el("td", {}, one.private ? el("code", {}, one.placeholder ?? "") : one.needed ? "as it is, for the question" : "as it is")))),
  );
}
