// The dialogs: history, settings, keyboard shortcuts.

import { apiKey, getJson, setApiKey } from "./api.js";
import { boxes } from "./boxes.js";
import { announce, byId, confirmed, el, put } from "./dom.js";
import { forget, openConversation, startAnew, title } from "./conversation.js";
import { clearAll, conversations, dropDraft, saveDraft } from "./history.js";
import { prefer, preference } from "./preferences.js";
import { readAbout, reviewSoon } from "./review.js";
import { on, state } from "./store.js";

export function startPanels() {
  byId("open-history").addEventListener("click", openHistory);
  byId("open-settings").addEventListener("click", () => openSettings());
  byId("open-help").addEventListener("click", openHelp);
  for (const dialog of document.querySelectorAll("dialog")) {
    // A click on what is behind closes.
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  }
  on("key", (message) => openSettings(message));
  on("history", () => { if (byId("history").open) fillHistory(); });
  // Another tab has changed the history.
  window.addEventListener("storage", (event) => { if (event.key === null || event.key.startsWith("gama.conversation.")) fillHistory(); });
}

export function dialogHead(id, text) {
  return el("div", { class: "dialog-head" }, el("h2", { id }, text),
    el("button", { type: "button", class: "plain", aria: { label: "Close" }, onclick: (event) => event.target.closest("dialog").close() }, "✕"));
}

// History

function openHistory() {
  fillHistory();
  byId("history").showModal();
}

let serial = 0;

async function fillHistory() {
  const own = conversations();
  drawHistory(own, []);
  if (!state.about?.keeps_threads) return;
  serial += 1;
  const mine = serial;
  try {
    const told = await getJson("/threads?titles=true");
    if (mine === serial) drawHistory(own, told.conversations.filter(({ thread }) => !own.some((one) => one.id === thread)));
  } catch (error) {
    byId("history-note").textContent = error.message;
  }
}

function drawHistory(own, remote) {
  const on = el("input", { type: "checkbox", id: "keep-history", checked: preference("history") });
  on.addEventListener("change", () => {
    prefer("history", on.checked);
    if (on.checked) saveDraft();
    else dropDraft();
    announce(on.checked ? "History is on." : "History is off.");
  });
  const entry = (id, text, when, kept) => el("li", {},
    el("button", { type: "button", class: "entry", onclick: () => { byId("history").close(); openConversation(id, kept); } },
      el("span", { class: "entry-title" }, text), el("span", { class: "fact" }, when)),
    el("button", { type: "button", class: "small danger", aria: { label: `Forget: ${text}` }, onclick: async () => { if (await forget(id)) { if (id === state.thread) startAnew(); fillHistory(); } } }, "Forget"));
  put(byId("history"),
    dialogHead("history-title", "History"),
    el("label", { class: "switch" }, on, el("span", {}, "Keep history in this browser")),
    el("p", { class: "hint" }, "In clear text, in this browser only. ", state.about?.keeps_threads ? "This server keeps conversations too, encrypted on its disk; you see those of this browser or key." : "This server keeps nothing."),
    own.length + remote.length === 0 && el("p", { class: "empty" }, "No conversations yet."),
    el("ul", { class: "entries" }, ...own.map((one) => entry(one.id, title(one.turns[0]), new Date(one.when).toLocaleString(), one)),
      ...remote.map(({ thread, title: words, when }) => entry(thread, words || "Not finished", `${when ? `${new Date(when).toLocaleString()}, ` : ""}on the server`, null))),
    el("p", { class: "hint", id: "history-note" }),
    (own.length > 0 || boxes().length > 0) && el("div", { class: "dialog-actions" }, el("button", { type: "button", class: "danger", onclick: () => clearHistory(own) }, "Clear all")),
  );
}

async function clearHistory(own) {
  const choice = state.about?.keeps_threads ? "Forget them on the server too" : null;
  const sure = await confirmed("Clear the history?", `${own.length} ${own.length === 1 ? "conversation" : "conversations"} and what restores copied texts and documents are erased from this browser.`, "Clear all", choice);
  if (!sure) return;
  if (sure.choice) for (const { id } of own) if (!(await forget(id))) return;
  const here = own.some((one) => one.id === state.thread);
  clearAll();
  if (here) startAnew();
  fillHistory();
  announce("The history is empty.");
}

// Settings

export function openSettings(message = "") {
  const dialog = byId("settings");
  const key = el("input", { type: "password", id: "key", autocomplete: "off", spellcheck: "false", value: apiKey(), aria: { describedby: "key-help" } });
  const field = (id, label, input) => el("div", { class: "field" }, el("label", { for: id }, label), input);
  const select = (name, choices) => {
    const node = el("select", { id: `set-${name}` }, ...choices.map(([value, label]) => el("option", { value, selected: preference(name) === value }, label)));
    node.addEventListener("change", () => { prefer(name, node.value); reviewSoon(0); });
    return node;
  };
  const numbers = (from, to) => [["", "as the server"], ...Array.from({ length: to - from + 1 }, (_, n) => [String(from + n), String(from + n)])];
  const region = el("input", { id: "set-default_region", maxlength: "2", size: "4", placeholder: "DE", value: preference("default_region") });
  region.addEventListener("change", () => {
    const value = region.value.trim().toUpperCase();
    region.value = /^[A-Z]{2}$/.test(value) ? value : "";
    prefer("default_region", region.value);
    reviewSoon(0);
  });
  put(dialog,
    dialogHead("settings-title", "Settings"),
    message && el("p", { class: "bad", role: "alert" }, message),
    el("form", { method: "dialog", onsubmit: () => { setApiKey(key.value.trim()); readAbout().catch(() => {}); reviewSoon(0); } },
      state.about?.key_needed || message || apiKey()
        ? el("div", { class: "field" }, el("label", { for: "key" }, "API key of this server"), key,
          el("p", { class: "hint", id: "key-help" }, "Kept for this tab until it is closed."))
        : el("p", { class: "hint" }, "This server needs no API key."),
      el("h3", {}, "What leaves"),
      field("set-refine", "What the context gives away", select("refine", [["", "as the server"], ["placeholders+refine", "is rewritten when you look it over"], ["off", "stays"]])),
      el("h3", {}, "How an answer is found"),
      field("set-k", "Experts asked", select("k", numbers(1, 8))),
      field("set-route", "Way to the answer", select("route", [["", "as the server"], ["both", "experts, then a cross-check"], ["auto", "let votes decide"], ["knowledge", "sub-questions"], ["logic", "reasoning"]])),
      field("set-disprove", "Cross-check", select("disprove", [["", "as the server"], ["v1", "hunt contradictions"], ["v2", "test rival answers"], ["off", "off"]])),
      field("set-max_rounds", "Most cross-checks", select("max_rounds", numbers(0, 6))),
      field("set-default_region", "Region of phone numbers", region),
      el("div", { class: "dialog-actions" },
        apiKey() && el("button", { type: "button", class: "plain", onclick: () => { setApiKey(""); key.value = ""; announce("The key was removed."); } }, "Remove key"),
        el("button", { type: "submit", class: "primary" }, "Done"))),
  );
  if (!dialog.open) dialog.showModal();
  if (message) key.focus();
}

// Shortcuts

const KEYS = [
  ["Anywhere", [["Ctrl Enter", "go on: check, then send"], ["Ctrl Shift E", "to and fro between writing and checking"], ["Esc", "close a dialog; from details back to the span"], ["?", "this list (outside of fields)"]]],
  ["On a found span", [["← →", "the span before, the next"], ["Home End", "first, last"], ["H", "hide it"], ["K", "keep it visible"], ["Space", "the other of the two"], ["T", "change its type"], ["U", "take your decision back"], ["Enter", "details: type, whose it is"]]],
  ["Adding a span", [["A", "begin to choose words"], ["← →", "move by a word"], ["Shift ← →", "take in more words"], ["Enter", "hide what is chosen"], ["Esc", "choose nothing"]]],
];

export function openHelp() {
  byId("help").replaceChildren(dialogHead("help-title", "Keyboard shortcuts"),
    ...KEYS.flatMap(([group, rows]) => [el("h3", {}, group), el("dl", { class: "keys" }, ...rows.flatMap(([keys, what]) => [el("dt", {}, ...keys.split(" ").map((key) => el("kbd", {}, key))), el("dd", {}, what)]))]),
    el("p", { class: "hint" }, "With the pointer: click a span, or select words to hide them. In the field, select and press “Hide selection”."));
  byId("help").showModal();
}
