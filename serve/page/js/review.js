// The text, the decisions on it, and what the server says would leave: asked anew after every change.

import { getJson, postJson } from "./api.js";
import { decide, forServer, shift, undecide } from "./decisions.js";
import { Offsets, sendable } from "./offsets.js";
import { options } from "./preferences.js";
import { state, tell } from "./store.js";

const PAUSE = 350; // Milliseconds without a key before the server is asked.

let timer = 0;
let going = null;
let asked = 0;

/** Take a new text; decisions and marks move along with it until the server has looked again. */
export function setText(value) {
  const text = sendable(value);
  if (text === state.text) return;
  state.decisions = shift(state.decisions, state.text, text);
  state.found = shift(state.found, state.text, text);
  state.text = text;
  stale();
  tell("text");
  reviewSoon();
}

/** Take what is asked about the text. */
export function setAsked(value) {
  const asking = sendable(value);
  if (asking === state.asked) return;
  state.asked = asking;
  stale();
  tell("text");
  reviewSoon();
}

/** Put a text with decisions, and with what is asked about it, in the place of the present one. */
export function replaceText(text, decisions = [], asking = "") {
  state.text = sendable(text);
  state.asked = sendable(asking);
  state.decisions = decisions;
  state.found = [];
  state.needed = new Set();
  Object.assign(state, { changes: [], refinement: null, left: [] });
  stale();
  tell("text");
  reviewSoon(0);
}

/** Decide about a stretch. */
export function makeDecision(made) {
  state.decisions = decide(state.decisions, state.text, made);
  stale();
  tell("text");
  return reviewNow();
}

/** Take a decision back. */
export function takeBack(start, end) {
  state.decisions = undecide(state.decisions, state.text, start, end);
  stale();
  tell("text");
  return reviewNow();
}

function stale() {
  state.current = false;
  asked += 1;
}

export function reviewSoon(pause = PAUSE) {
  clearTimeout(timer);
  timer = setTimeout(reviewNow, pause);
}

/** Take a rewritten stretch, or leave what stood there; by its number. */
export function takeChange(number, taken) {
  state.left = taken ? state.left.filter((one) => one !== number) : [...state.left, number].sort((one, other) => one - other);
  stale();
  tell("text");
  return reviewNow();
}

/** Whether the text must be looked at anew before it is looked over: it is rewritten only then. */
export const toRewrite = () => state.mode === "ask" && state.rewritten !== (options().refine ?? "");

/** Ask what would leave now. Returns whether the answer is of the present text. */
export async function reviewNow() {
  clearTimeout(timer);
  if (state.view === "check" && toRewrite()) stale();
  going?.abort();
  if (!state.text.trim()) {
    Object.assign(state, { found: [], anonymized: "", warnings: [], earlier: [], questions: [], changes: [], current: true, reviewing: false, reviewProblem: "" });
    tell("review");
    return true;
  }
  const mine = asked;
  const text = state.text;
  const offsets = new Offsets(text);
  going = new AbortController();
  state.reviewing = true;
  tell("reviewing");
  try {
    // An annotation is of the text alone: what it asks leaves nothing in clear there.
    const chosen = state.mode === "ask" ? options() : { ...options(), privacy: "strict" };
    // A private model may take long to rewrite: not while one writes.
    if (state.view !== "check" && chosen.refine !== "off") delete chosen.refine;
    const body = {
      question: text, query: query(), decisions: forServer(state.decisions, offsets), options: chosen, with_values: true,
      refinement: state.refinement, leave: state.refinement ? state.left : [],
    };
    const told = await postJson(`/threads/${state.thread}/review`, body, going.signal);
    if (mine !== asked) return false;
    state.changes = told.changes;
    // A look without rewriting leaves an earlier one as it is: nothing is rewritten twice.
    if (told.refinement) {
      state.refinement = told.refinement;
      state.left = told.changes.flatMap((one, index) => (one.taken ? [] : [index + 1]));
    }
    state.rewritten = chosen.refine ?? "";
    state.found = mentions(told.entities, offsets);
    state.anonymized = told.anonymized;
    state.warnings = told.warnings;
    state.earlier = told.earlier;
    state.questions = told.question_spans.map((span) => span.map((at) => offsets.toUnits(at)));
    state.box = told.box;
    state.current = true;
    state.reviewProblem = "";
  } catch (error) {
    if (error.name === "AbortError" || mine !== asked) return false;
    if (error.status === 429 || error.status === 503) reviewSoon(1000 * (error.wait || 2));
    state.reviewProblem = error.message;
    // What was refused is not asked for again: every change is taken, and what cannot be read is given up.
    if (state.refinement && error.status >= 400 && error.status < 500 && ![401, 429].includes(error.status)) {
      if (!state.left.length) state.refinement = null;
      state.left = [];
    }
    if (error.status === 401) tell("key", error.message);
  } finally {
    if (mine === asked) state.reviewing = false;
  }
  tell("review");
  return state.current;
}

/** What is sent as the query; an annotation is of the text alone. */
export function query() {
  return state.mode === "ask" && state.asked.trim() ? state.asked : null;
}

/** Mentions of the text in UTF-16 units, in order and without overlap; of two on one place the hidden one counts.
 *
 * Those of the query, which stands behind the text, are left out; what it needs is no hidden one.
 */
export function mentions(entities, offsets) {
  const sorted = entities
    .map((one) => ({ ...one, private: one.private && !one.needed, start: offsets.toUnits(one.start), end: offsets.toUnits(one.end) }))
    .filter((one) => one.end <= offsets.units)
    .sort((one, other) => other.private - one.private || one.start - other.start);
  const out = [];
  for (const one of sorted) {
    if (!out.some((known) => known.start < one.end && one.start < known.end)) out.push(one);
  }
  return out.sort((one, other) => one.start - other.start);
}

export async function readAbout() {
  state.about = await getJson("/about");
  tell("about");
}
