// What the person has chosen for this page; kept in this browser, sent nowhere but as options of a run.

import { state } from "./store.js";

const NAME = "gama.preferences";
const DEFAULTS = { lookFirst: true, history: true, k: "", route: "", disprove: "", max_rounds: "", default_region: "", privacy: "", refine: "" };

let chosen = { ...DEFAULTS };
try {
  const kept = JSON.parse(localStorage.getItem(NAME) ?? "{}");
  for (const name of Object.keys(DEFAULTS)) if (typeof kept[name] === typeof DEFAULTS[name]) chosen[name] = kept[name];
} catch {
  // Storage may be switched off, or hold something else.
}

export const preference = (name) => chosen[name];

export function prefer(name, value) {
  chosen = { ...chosen, [name]: value };
  try {
    localStorage.setItem(NAME, JSON.stringify(chosen));
  } catch {
    // Then the choice holds until the page is closed.
  }
}

/** The levels of privacy that this server allows, and the one that holds: the person's, else the server's. */
export const levels = () => state.about?.privacy.levels ?? ["strict"];
export const level = () => (levels().includes(chosen.privacy) ? chosen.privacy : state.about?.privacy.level ?? "strict");

/** The options of a run that differ from the server's; an annotation has everything hidden that was found. */
export function options() {
  const out = { privacy: state.mode === "annotate" ? "strict" : level() };
  for (const name of ["route", "disprove", "default_region"]) if (chosen[name]) out[name] = chosen[name];
  if (chosen.refine && state.mode === "ask") out.refine = chosen.refine;
  for (const name of ["k", "max_rounds"]) if (chosen[name] !== "") out[name] = Number(chosen[name]);
  return out;
}
