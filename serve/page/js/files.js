// Files: read to a text, or anonymized and restored as the documents that they are.

import { postJson } from "./api.js";
import { keepBox } from "./boxes.js";
import { announce, byId, clearProblem, el, put, showProblem } from "./dom.js";
import { options } from "./preferences.js";
import { query, replaceText, setText } from "./review.js";
import { on, state, tell } from "./store.js";

export function startFiles() {
  on("text", () => {
    // What was read belongs to the file no longer once the field is empty.
    if (!state.text && state.file) state.file = null;
    show();
  });
  for (const kind of ["file", "mode"]) on(kind, show);
}

/** Have the server read a file, and put its text at the end of what is there. */
export async function readFile(file) {
  clearProblem();
  if (tooLarge(file)) return;
  announce(`Reading ${file.name}.`);
  try {
    const data = await base64(file);
    const told = await postJson("/documents/read", { name: file.name, data });
    const before = state.text.trim() ? `${state.text.trimEnd()}\n\n` : "";
    if (before) setText(before + told.text);
    else replaceText(told.text);
    state.file = { name: file.name, data, kind: told.kind };
    tell("file");
    tell("write");
    announce(`${file.name} was read: ${told.text.length.toLocaleString("en")} characters.`);
    if (told.warnings.length) showProblem(`${file.name}: ${told.warnings.join(" ")}`);
  } catch (error) {
    failed(error, `${file.name} could not be read.`, () => readFile(file));
  }
}

function tooLarge(file) {
  const most = Math.floor((state.about?.max_bytes ?? 20 * 2 ** 20) * 0.74);
  if (file.size <= most) return false;
  showProblem(`The file ${file.name} has ${megabytes(file.size)}; this server takes ${megabytes(most)}. Nothing was sent.`);
  return true;
}

function failed(error, what, again, more = []) {
  showProblem(`${what} ${error.message}`, [["Try again", again], ...more]);
  if (error.status === 401) tell("key", error.message);
}

/** Offer the opened document anonymized in its own format. */
function show() {
  const box = byId("paper");
  box.hidden = !state.file || state.mode !== "ask";
  if (box.hidden) return;
  put(box, el("span", { class: "file-name" }, state.file.name),
    el("button", { type: "button", class: "small", id: "anonymize-file", onclick: () => anonymizeFile() },
      state.file.kind === "pdf" ? "Download its text, anonymized" : `Download anonymized ${state.file.kind}`));
}

/** Have the opened document anonymized, with what the person has decided, and offer it as a download. */
async function anonymizeFile(unread = "refuse") {
  clearProblem();
  const { name, data } = state.file;
  const words = (hide) => [...new Set(state.decisions.filter((one) => one.private === hide).map((one) => state.text.slice(one.start, one.end)))];
  const [deny, allow] = [words(true), words(false)];
  const chosen = { ...options(), ...(deny.length ? { deny } : {}), ...(allow.length ? { allow } : {}) };
  announce(`Anonymizing ${name}.`);
  try {
    const made = await postJson("/documents/anonymize", { name, data, query: query(), options: chosen, unread });
    keepBox({ name: made.name, file: made.name, box: made.box, thread: state.thread });
    download(made);
    announce(`${made.name}: ${made.hidden} private mentions were replaced.`);
    showProblem([`${made.name} is in your downloads: ${made.hidden} private mentions were replaced. Look it over before you hand it on.`, ...made.warnings].join(" "));
  } catch (error) {
    const apart = /--unread/.test(error.message) && unread === "refuse";
    const more = apart ? [["Take them out", () => anonymizeFile("remove")], ["Leave them as they are", () => anonymizeFile("keep")]] : [];
    const told = apart ? { ...error, status: error.status, message: error.message.replace(/ Say whether.*/s, "") } : error;
    failed(told, `${name} was not anonymized.`, () => anonymizeFile(unread), more);
  }
}

/** Have a document restored, and offer it as a download. Returns what could not be put back. */
export async function restoreFile(file, box) {
  if (tooLarge(file)) return null;
  const made = await postJson("/documents/restore", { name: file.name, data: await base64(file), box });
  download(made);
  announce(`${made.name} was restored.`);
  return made;
}

function download(made) {
  const bytes = Uint8Array.from(atob(made.data), (sign) => sign.charCodeAt(0));
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  el("a", { href: url, download: made.name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
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
