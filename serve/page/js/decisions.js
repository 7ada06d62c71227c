// What the person has decided about stretches of the text; offsets in UTF-16 units. No two overlap.

/** Add a decision: others on the same place go, and so do others on the same words, for which it speaks too. */
export function decide(decisions, text, made) {
  const words = text.slice(made.start, made.end);
  const rest = decisions.filter(
    (one) => (one.end <= made.start || made.end <= one.start) && text.slice(one.start, one.end) !== words,
  );
  return [...rest, made].sort((one, other) => one.start - other.start);
}

/** Take back what was decided about a place, and about the same words elsewhere. */
export function undecide(decisions, text, start, end) {
  const words = text.slice(start, end);
  return decisions.filter(
    (one) => (one.end <= start || end <= one.start) && text.slice(one.start, one.end) !== words,
  );
}

/** The decision that speaks for a place: on it, or on the same words elsewhere. */
export function decisionOn(decisions, text, start, end) {
  const words = text.slice(start, end);
  return (
    decisions.find((one) => one.start === start && one.end === end) ??
    decisions.find((one) => text.slice(one.start, one.end) === words) ??
    decisions.find((one) => one.start < end && start < one.end)
  );
}

/** Move decisions along when the text is changed; those that the change touches are gone. */
export function shift(decisions, before, after) {
  if (before === after || !decisions.length) return decisions;
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const changedEnd = before.length - tail;
  const by = after.length - before.length;
  return decisions
    .filter((one) => one.end <= head || one.start >= changedEnd)
    .map((one) => (one.end <= head ? one : { ...one, start: one.start + by, end: one.end + by }));
}

/** Decisions as the server takes them: offsets in characters. */
export function forServer(decisions, offsets) {
  return decisions.map((one) => ({
    start: offsets.toPoints(one.start),
    end: offsets.toPoints(one.end),
    private: one.private,
    ...(one.subtype ? { subtype: one.subtype } : {}),
    ...(one.subject ? { subject: one.subject } : {}),
  }));
}

/** A stretch without the space at its ends; null where nothing is left. */
export function trimmed(text, start, end) {
  const words = text.slice(start, end);
  const from = start + (words.length - words.trimStart().length);
  const to = end - (words.length - words.trimEnd().length);
  return from < to ? { start: from, end: to } : null;
}
