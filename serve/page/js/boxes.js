// What restores texts and documents that were taken elsewhere: boxes, sealed by the server, which alone can read them.

import { preference } from "./preferences.js";
import { tell } from "./store.js";

const NAME = "gama.boxes";
const MOST = 20;

let held = []; // While the history is off, or where storage is.

/** All boxes, the latest first: `{ name, when, box, thread }`, with `file` for a document. */
export function boxes() {
  try {
    const kept = JSON.parse(localStorage.getItem(NAME) ?? "[]");
    const sound = Array.isArray(kept) ? kept.filter((one) => typeof one?.box === "string" && typeof one.name === "string") : [];
    return [...held, ...sound].sort((one, other) => other.when - one.when);
  } catch {
    return held;
  }
}

/** Keep a box; the same one is kept once. */
export function keepBox(made) {
  if (!made.box) return;
  const one = { ...made, when: Date.now() };
  const others = boxes().filter((known) => known.box !== made.box && !(known.name === made.name && known.thread === made.thread));
  write([one, ...others].slice(0, MOST));
}

export function forgetBoxes(thread) {
  write(boxes().filter((one) => one.thread !== thread));
}

export function forgetAllBoxes() {
  write([]);
}

function write(all) {
  held = [];
  try {
    if (preference("history") && all.length) localStorage.setItem(NAME, JSON.stringify(all));
    else localStorage.removeItem(NAME);
    if (!preference("history")) held = all;
  } catch {
    held = all;
  }
  tell("history");
}

/** The first words of a text. */
export function shortened(text, most = 40) {
  const words = text.trim().replace(/\s+/g, " ");
  return words.length > most ? `${words.slice(0, most - 1)}…` : words;
}
