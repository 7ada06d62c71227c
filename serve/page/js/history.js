// Conversations in this browser: one entry each in localStorage, so that two tabs do not write over each other.

import { forgetAllBoxes } from "./boxes.js";
import { preference } from "./preferences.js";
import { showProblem } from "./dom.js";
import { state, tell } from "./store.js";

const PREFIX = "gama.conversation.";
const DRAFT = "gama.draft";
const PARTS = ["answer", "anonymized", "domains", "experts", "route", "rounds", "verdict", "restored", "formulas", "warnings", "models", "usage", "thread"];

/** Keep a conversation, if the person wants history. */
export function keepConversation(conversation) {
  dropDraft();
  if (!preference("history")) return;
  const turns = conversation.turns.map((turn) => ({
    ...turn, reply: Object.fromEntries(PARTS.map((name) => [name, turn.reply[name]])),
  }));
  try {
    localStorage.setItem(PREFIX + conversation.id, JSON.stringify({ ...conversation, when: Date.now(), turns }));
  } catch {
    showProblem("The history of this browser is full or switched off; this conversation is not in it. Clear the history, or switch it off.");
  }
  tell("history");
}

/** All conversations, the latest first. */
export function conversations() {
  const out = [];
  try {
    for (let at = 0; at < localStorage.length; at += 1) {
      const name = localStorage.key(at);
      if (!name.startsWith(PREFIX)) continue;
      try {
        const one = JSON.parse(localStorage.getItem(name));
        if (one && Array.isArray(one.turns) && one.turns.length) out.push({ ...one, id: name.slice(PREFIX.length) });
      } catch {
        // Damaged: passed over.
      }
    }
  } catch {
    // Storage is switched off.
  }
  return out.sort((one, other) => other.when - one.when);
}

export function forgetLocally(id) {
  try {
    localStorage.removeItem(PREFIX + id);
    if (id === state.thread) sessionStorage.removeItem(DRAFT);
  } catch {
    // Nothing was kept.
  }
  tell("history");
}

/** Clear the history, the boxes and the draft of this tab. */
export function clearAll() {
  forgetAllBoxes();
  for (const { id } of conversations()) forgetLocally(id);
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith(PREFIX)) localStorage.removeItem(name);
  } catch {
    // Nothing was kept.
  }
  dropDraft();
  tell("history");
}

/** Keep what is being written for this tab, so that a reload loses nothing. Off with the history. */
export function saveDraft() {
  try {
    if (preference("history") && state.text) {
      sessionStorage.setItem(DRAFT, JSON.stringify({ text: state.text, asked: state.asked, decisions: state.decisions, thread: state.thread, sent: state.sent }));
    } else sessionStorage.removeItem(DRAFT);
  } catch {
    // Too long or switched off: then a reload loses it.
  }
}

export function readDraft() {
  try {
    const draft = JSON.parse(sessionStorage.getItem(DRAFT) ?? "null");
    return typeof draft?.text === "string" && Array.isArray(draft.decisions) && /^[\w-]{1,64}$/.test(draft.thread) ? draft : null;
  } catch {
    return null;
  }
}

export function dropDraft() {
  try {
    sessionStorage.removeItem(DRAFT);
  } catch {
    // Nothing was kept.
  }
}
