// The field to write in, with what was found marked behind it; files that are dropped or opened.

import { postJson } from "./api.js";
import { announce, byId, clearProblem, showProblem } from "./dom.js";
import { trimmed } from "./decisions.js";
import { marked } from "./marks.js";
import { makeDecision, replaceText, setAsked, setText } from "./review.js";
import { on, state, tell } from "./store.js";

const area = byId("text");
const behind = byId("behind");
const asked = byId("asked");

export function startWriting() {
  area.addEventListener("input", () => setText(area.value));
  asked.addEventListener("input", () => setAsked(asked.value));
  area.addEventListener("select", offerSelection);
  area.addEventListener("keyup", offerSelection);
  area.addEventListener("mouseup", offerSelection);
  byId("hide-selection").addEventListener("click", hideSelection);
  byId("choose-file").addEventListener("click", () => byId("file").click());
  byId("file").addEventListener("change", (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (file) readFile(file);
  });
  for (const name of ["dragenter", "dragover"]) document.addEventListener(name, onDrag);
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) byId("drop").hidden = true; });
  document.addEventListener("drop", onDrop);
  on("text", show);
  on("review", paint);
  on("about", () => byId("file").setAttribute("accept", state.about.files.join(",")));
}

function show() {
  if (area.value !== state.text) area.value = state.text;
  if (asked.value !== state.asked) asked.value = state.asked;
  paint();
}

function paint() {
  // The last line needs a sign for the field to have its height.
  behind.replaceChildren(...marked(state.text, state.found), "\u200b");
  offerSelection();
}

function selected() {
  if (state.view !== "write") return null;
  return trimmed(state.text, area.selectionStart, area.selectionEnd);
}

function offerSelection() {
  if (state.view === "write") byId("hide-selection").disabled = !selected();
}

async function hideSelection() {
  const stretch = selected();
  if (!stretch) return;
  await makeDecision({ ...stretch, private: true });
  announce("Hidden, wherever it stands in the text.");
  area.focus();
}

function onDrag(event) {
  if (![...event.dataTransfer.types].some((type) => type === "Files" || type === "text/plain")) return;
  if (event.target === area && !event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  if (event.dataTransfer.types.includes("Files") && !state.running) byId("drop").hidden = false;
}

function onDrop(event) {
  byId("drop").hidden = true;
  const [file] = event.dataTransfer.files;
  if (file) {
    event.preventDefault();
    if (!state.running) readFile(file);
  } else if (event.target !== area) {
    // A text dropped beside the field would have the browser leave the page.
    event.preventDefault();
  }
}

/** Have the server read a file, and put its text at the end of what is there. */
export async function readFile(file) {
  clearProblem();
  const most = Math.floor((state.about?.max_bytes ?? 20 * 2 ** 20) * 0.74);
  if (file.size > most) {
    showProblem(`The file ${file.name} has ${megabytes(file.size)}; this server takes ${megabytes(most)}. Nothing was sent.`);
    return;
  }
  announce(`Reading ${file.name}.`);
  try {
    const told = await postJson("/documents/read", { name: file.name, data: await base64(file) });
    const before = state.text.trim() ? `${state.text.trimEnd()}\n\n` : "";
    if (before) setText(before + told.text);
    else replaceText(told.text);
    tell("write");
    announce(`${file.name} was read: ${told.text.length.toLocaleString("en")} characters.`);
    if (told.warnings.length) showProblem(`${file.name}: ${told.warnings.join(" ")}`);
  } catch (error) {
    showProblem(`${file.name} could not be read. ${error.message}`, [["Try again", () => readFile(file)]]);
    if (error.status === 401) tell("key", error.message);
  }
}

function megabytes(bytes) {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result.slice(reader.result.indexOf(",") + 1)));
    reader.addEventListener("error", () => reject(new Error("The browser could not open it.")));
    reader.readAsDataURL(file);
  });
}
