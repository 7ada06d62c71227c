// What was asked elsewhere: a pasted answer, or a document that comes back, restored with the box of its text.

import { postJson } from "./api.js";
import { counted, restoredText } from "./answer.js";
import { boxes, shortened } from "./boxes.js";
import { announce, byId, copyButton, el, put } from "./dom.js";
import { restoreFile } from "./files.js";
import { dialogHead } from "./panels.js";
import { sendable } from "./offsets.js";
import { state, tell } from "./store.js";

export function startElsewhere() {
  byId("open-elsewhere").addEventListener("click", open);
}

/** What can be restored: what was copied or downloaded, and this conversation. */
function sources() {
  const first = state.turns[0]?.text || state.text || state.turns[0]?.anonymized || "";
  const here = state.box ? [{ name: `This conversation: ${shortened(first)}`, box: state.box }] : [];
  const copied = boxes();
  // What was copied of this conversation is what is meant, even if its text has been changed since.
  const own = copied.findIndex((one) => one.thread === state.thread && !one.file);
  return own >= 0 ? [copied[own], ...copied.filter((_, n) => n !== own), ...here] : [...here, ...copied];
}

function open() {
  const all = sources();
  const from = el("select", { id: "from-box" }, all.map((one, n) => el("option", { value: String(n) }, one.when ? `${one.name} (${new Date(one.when).toLocaleString()})` : one.name)));
  const field = el("textarea", { id: "pasted", rows: "6", spellcheck: "false", placeholder: "Paste what the other chat has answered, with its placeholders." });
  const out = el("div", { id: "restored-out", class: "answer" });
  const input = el("input", { type: "file", id: "restore-file", class: "sr", tabindex: "-1", aria: { hidden: "true" }, accept: state.about?.files.filter((end) => end !== ".pdf").join(",") });
  const box = () => all[Number(from.value)]?.box;
  input.addEventListener("change", () => {
    const [file] = input.files;
    input.value = "";
    const known = file ? all.findIndex((one) => one.file === file.name) : -1;
    if (known >= 0) from.value = String(known);
    if (file) backFile(file, box(), out);
  });
  put(byId("elsewhere"), dialogHead("elsewhere-title", "Restore an answer from elsewhere"),
    el("p", { class: "hint" }, "Copy the text that leaves, or download a document anonymized, and use it in any other chat. What comes back is restored here: on this server, and sent nowhere."),
    all.length === 0 ? el("p", { class: "empty" }, "There is nothing to restore with yet: write a text, or open a file, first.") : [
      el("div", { class: "field" }, el("label", { for: "from-box" }, "It is about"), from),
      el("div", { class: "field" }, el("label", { for: "pasted" }, "The answer"), field),
      el("div", { class: "row" },
        el("button", { type: "button", class: "primary", id: "restore-pasted", onclick: () => backText(field.value, box(), out) }, "Put the values back"),
        el("button", { type: "button", class: "small", onclick: () => input.click() }, "Restore a document…"), input),
      out]);
  byId("elsewhere").showModal();
  if (all.length) field.focus();
}

async function backText(text, box, out) {
  if (!text.trim()) return;
  try {
    const told = await postJson("/restore", { text: sendable(text), box, places: true });
    put(out, restoredText(told.text, told.restored),
      el("p", { class: "hint" }, counted(told.restored)), unknown(told.unresolved),
      el("div", { class: "row" }, copyButton("Copy restored answer", "The restored answer", () => told.text)));
    announce(counted(told.restored));
  } catch (error) {
    tellIn(out, error);
  }
}

async function backFile(file, box, out) {
  try {
    const made = await restoreFile(file, box);
    if (made) put(out, el("p", {}, `${made.name} is in your downloads.`), unknown(made.unresolved));
    else byId("elsewhere").close();
  } catch (error) {
    tellIn(out, error);
  }
}

function unknown(names) {
  return names.length > 0 && el("p", { class: "bad" }, `Not put back, as this text has no such placeholder: ${names.join(", ")}`);
}

function tellIn(out, error) {
  put(out, el("p", { class: "bad", role: "alert" }, error.message));
  if (error.status === 401) tell("key", error.message);
}
