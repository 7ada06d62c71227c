// Puts the page together: views, modes, colours, keys.

import { announce, byId, showProblem } from "./dom.js";
import { startAnnotating } from "./annotate.js";
import { startChecking } from "./checking.js";
import { go, startConversation } from "./conversation.js";
import { startDestination } from "./destination.js";
import { startElsewhere } from "./elsewhere.js";
import { startFiles } from "./files.js";
import { readDraft } from "./history.js";
import { startLeaving } from "./leaving.js";
import { startLevel } from "./level.js";
import { openHelp, openSettings, startPanels } from "./panels.js";
import { apiKey } from "./api.js";
import { prefer, preference } from "./preferences.js";
import { readAbout, replaceText, reviewNow, toRewrite } from "./review.js";
import { on, state, tell } from "./store.js";
import { startScrolling } from "./scrolling.js";
import { startWriting } from "./writing.js";

function setView(view) {
  if (view === "check" && !state.text.trim()) return;
  state.view = view;
  byId("writer").hidden = view !== "write";
  byId("checker").hidden = view !== "check";
  byId("to-write").setAttribute("aria-pressed", String(view === "write"));
  byId("to-check").setAttribute("aria-pressed", String(view === "check"));
  byId("hide-selection").disabled = true;
  tell("view");
  if (view === "write") byId("text").focus();
  if (view === "check" && (!state.current || toRewrite())) reviewNow();
}

function setMode(mode) {
  state.mode = mode;
  byId("main").dataset.mode = mode;
  for (const button of document.querySelectorAll("[data-mode][aria-pressed]")) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
  byId("annotate").hidden = mode !== "annotate";
  byId("leaving").hidden = mode === "annotate";
  byId("asked-row").hidden = mode === "annotate";
  byId("send").parentElement.classList.toggle("annotating", mode === "annotate");
  tell("mode");
  if (state.text.trim()) reviewNow();
  if (mode === "annotate" && state.text.trim()) setView("check");
}

const THEMES = ["", "light", "dark"];
const THEME_WORDS = { "": "as the system", light: "light", dark: "dark" };

function nextTheme() {
  const root = document.documentElement;
  const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "") + 1) % THEMES.length];
  if (next) root.dataset.theme = next;
  else delete root.dataset.theme;
  try {
    localStorage.setItem("gama.theme", next);
  } catch {
    // Then it holds until the page is closed.
  }
  nameTheme();
  announce(`Colours: ${THEME_WORDS[next]}.`);
}

function nameTheme() {
  const name = `Colours: ${THEME_WORDS[document.documentElement.dataset.theme ?? ""]}`;
  byId("theme").setAttribute("aria-label", name);
  byId("theme").title = name;
}

function onKey(event) {
  if (document.querySelector("dialog[open]")) return;
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
    event.preventDefault();
    if (state.mode === "ask") go();
  } else if ((event.ctrlKey || event.metaKey) && event.shiftKey && event.key.toLowerCase() === "e") {
    event.preventDefault();
    setView(state.view === "write" ? "check" : "write");
  } else if (event.key === "?" && !event.target.closest("input, textarea, select")) {
    event.preventDefault();
    openHelp();
  }
}

async function start() {
  startWriting();
  startChecking();
  startLeaving();
  startLevel();
  startConversation();
  startDestination();
  startFiles();
  startElsewhere();
  startScrolling();
  startPanels();
  startAnnotating();
  byId("to-write").addEventListener("click", () => setView("write"));
  byId("to-check").addEventListener("click", () => setView("check"));
  on("check", () => setView("check"));
  on("write", () => setView("write"));
  for (const button of document.querySelectorAll(".modes [data-mode]")) button.addEventListener("click", () => setMode(button.dataset.mode));
  byId("theme").addEventListener("click", nextTheme);
  nameTheme();
  const look = byId("look-first");
  look.checked = preference("lookFirst");
  look.addEventListener("change", () => { prefer("lookFirst", look.checked); tell("view"); });
  document.addEventListener("keydown", onKey);
  await load();
  const draft = readDraft();
  if (draft) {
    state.thread = draft.thread;
    state.sent = Boolean(draft.sent);
    replaceText(draft.text, draft.decisions, typeof draft.asked === "string" ? draft.asked : "");
  }
}

async function load() {
  try {
    await readAbout();
  } catch (error) {
    showProblem(error.message, [["Try again", load]]);
    return;
  }
  byId("about").textContent = `GAMA ${state.about.version} · ${state.about.keeps_threads ? "this server keeps conversations, encrypted" : "this server keeps no conversations"}`;
  if (state.about.key_needed && !apiKey()) openSettings("This server needs an API key.");
}

start();
