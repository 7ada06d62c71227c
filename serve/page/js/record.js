// An annotated record: a line of a corpus that `gama eval` reads, with PII-Bench's own fields beside it.

import { Offsets } from "./offsets.js";
import { category } from "./types.js";

const RESERVED = /[⟦⟧|]/;

/** What stands in the way of a record; empty where nothing does. */
export function obstacle(text, found) {
  if (/[⟦⟧]/.test(text)) return "The signs ⟦ and ⟧ mark spans in a record: take them out of the text.";
  if (found.some((one) => RESERVED.test(text.slice(one.start, one.end)))) return "A span has the sign | in it, which parts the fields of a mark: take it out.";
  return "";
}

const letter = (subject) => (subject && subject.length === 1 ? subject : "-");

/** The text with its marks: ⟦surface|TYPE.subtype|SUBJECT⟧, public ones with a fourth field. */
export function markedText(text, found) {
  let out = "";
  let at = 0;
  for (const one of found) {
    const surface = text.slice(one.start, one.end);
    out += `${text.slice(at, one.start)}⟦${surface}|${one.type}.${one.subtype}|${letter(one.subject)}${one.private ? "" : "|public"}⟧`;
    at = one.end;
  }
  return out + text.slice(at);
}

/** The record of a text. `needed` holds the surfaces that the query needs. */
export function record(text, found, query, needed, id) {
  const offsets = new Offsets(text);
  const facts = (one) => ({ entity: text.slice(one.start, one.end), type: one.type, category: category(one.subtype), subject: letter(one.subject) === "-" ? null : one.subject });
  const hidden = found.filter((one) => one.private);
  const seen = new Set();
  // PII-Bench never counts names of persons among what a query needs.
  const asked = hidden.filter((one) => needed.has(one.text) && one.type !== "PER" && !seen.has(one.text) && seen.add(one.text));
  return {
    id, genre: "", style: "", text: markedText(text, found), query,
    relevant: [...new Set(found.filter((one) => needed.has(one.text)).map((one) => one.text))],
    description: text,
    pii: hidden.map((one) => ({ ...facts(one), start: offsets.toPoints(one.start), end: offsets.toPoints(one.end) })),
    query_pii: asked.map(facts),
  };
}

/** The text with what the query does not need masked. */
export function maskedText(text, found, needed, style) {
  let out = "";
  let at = 0;
  for (const one of found) {
    if (!one.private || needed.has(one.text)) continue;
    const token = { category: `<${category(one.subtype)}>`, type: `<${one.type}>`, indexed: one.placeholder ?? `<${category(one.subtype)}>` }[style];
    out += text.slice(at, one.start) + token;
    at = one.end;
  }
  return out + text.slice(at);
}
