// What the page knows, and who wants to hear of changes.

export const state = {
  about: null, // What the server says of itself.
  mode: "ask", // ask or annotate
  view: "write", // write or check
  thread: newThread(),
  text: "",
  asked: "", // What is asked about the text, if that is not in it: what it needs stays in clear.
  decisions: [], // The person's, in UTF-16 units; see decisions.js.
  found: [], // Mentions as the server sees them with the decisions in, in UTF-16 units.
  anonymized: "", // What would leave.
  warnings: [],
  earlier: [], // Turns of the thread that the model is shown again, as they leave.
  questions: [], // Stretches of the text that were taken for the question, in UTF-16 units.
  changes: [], // What was rewritten: before, after, and whether it is taken.
  refinement: null, // The same, sealed by the server, so that nothing is rewritten twice.
  left: [], // Numbers of the changes that are not taken; the first is 1.
  rewritten: "", // The option by which the text was rewritten at the last look.
  box: "", // What restores it, sealed by the server, which alone can read it.
  file: null, // The document that the text was read from, while the text is its own.
  sent: false, // Whether a run of this conversation was begun, so that the server may have something to forget.
  current: false, // Whether found and anonymized are of the present text and decisions.
  reviewing: false,
  reviewProblem: "",
  running: false,
  turns: [], // Finished turns of this conversation.
  query: "", // The question of the annotation, and which mentions it needs.
  needed: new Set(),
};

const listeners = new Map();

/** Listen to a kind of change: text, review, view, mode, run, turns, about, history. */
export function on(kind, listener) {
  listeners.set(kind, [...(listeners.get(kind) ?? []), listener]);
}

export function tell(kind, detail) {
  for (const listener of listeners.get(kind) ?? []) listener(detail);
}

/** A name for a thread that nobody guesses; `crypto.randomUUID` is there on safe origins only. */
export function newThread() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
