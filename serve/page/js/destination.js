// Who gets the text: said before it is sent, and kept with what was sent.

import { byId, el, put } from "./dom.js";
import { on, state } from "./store.js";

export function startDestination() {
  on("about", show);
}

/** Who would be asked now: `{ model, host, standin }`, or null where the server does not say. */
export function destination() {
  return state.about?.public ?? null;
}

function show() {
  const told = destination();
  put(byId("goes-to"), ...(!told ? [] : told.standin
    ? ["No public model is set: a ", el("strong", {}, "stand-in on this server"), " answers, nothing leaves it."]
    : ["Goes to ", el("strong", {}, told.model), told.host && [" at ", el("strong", {}, told.host)], "."]).flat());
  byId("leaving-title").textContent = !told || told.standin ? "What leaves" : `What ${told.model} gets`;
}
