// The field to write in, with what was found marked behind it; files that are dropped or opened; an example.

import { announce, byId } from "./dom.js";
import { trimmed } from "./decisions.js";
import { markQuestions, marked } from "./marks.js";
import { makeDecision, replaceText, setAsked, setText } from "./review.js";
import { readFile } from "./files.js";
import { on, state } from "./store.js";

const EXAMPLE = `Dear Ms Okafor,

my name is Emma Williams, and I rent the flat at 12 Mill Lane, Oxford. My landlord, Daniel Jones (daniel.jones@post.example, +44 1865 496 000), wants the rent of 1,450 pounds in advance, paid to GB29 NWBK 6016 1331 9268 19.

The lease says: the tenant gives three months' notice, in writing. How long is the notice, and in what form must I give it?`;

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
  byId("example").addEventListener("click", () => {
    replaceText(EXAMPLE);
    area.focus();
    announce("An example is in the field.");
  });
  on("about", () => {
    byId("file").setAttribute("accept", state.about.files.join(","));
    byId("text-help").textContent = `Opens ${kinds(state.about.files).join(", ")}. Only this server reads the file.`;
  });
}

/** Ends of file names, each kind once. */
function kinds(files) {
  const twins = new Set([".markdown", ".text", ".htm", ".ndjson"]);
  const first = [".docx", ".xlsx", ".pdf", ".eml"];
  const rest = files.filter((end) => !twins.has(end) && !first.includes(end));
  return [...first.filter((end) => files.includes(end)), ...rest].map((end) => end.slice(1));
}

function show() {
  byId("example").hidden = Boolean(state.text);
  byId("hide-selection").hidden = !state.text;
  if (area.value !== state.text) area.value = state.text;
  if (asked.value !== state.asked) asked.value = state.asked;
  paint();
}

function paint() {
  // The last line needs a sign for the field to have its height.
  behind.replaceChildren(...marked(state.text, state.found), "\u200b");
  markQuestions(behind, state.current ? state.questions : []);
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
