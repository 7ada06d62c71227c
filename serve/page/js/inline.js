// What stands in a line of Markdown: emphasis, code, links. See markdown.js.

import { el } from "./dom.js";

const MOST_SIGNS = 2_000; // Signs of emphasis in one paragraph; beyond that they are plain signs.
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const LINK = /!?\[((?:[^[\]\\\n]|\\.){0,1000})\]\(\s*(<[^<>\n]{0,2000}>|[^\s()<>]{0,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500})?)(?:\s+"[^"\n]{0,500}")?\s*\)/y;
const AUTO = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>|https?:\/\/[^\s<>"'`|\\^{}[\]]{1,2000}/y;
const LETTER = /[\p{L}\p{N}_]/u;

/** Texts and elements of a line, or of the lines of a paragraph. */
export function inline(words, context) {
  const items = scan(words, context);
  if (items.filter((one) => one.sign).length <= MOST_SIGNS) pair(items);
  return items.flatMap((one) => nodes(one, context));
}

/** Cut words into `{ words }`, `{ node }` and signs of emphasis `{ sign, count, opens, closes }`. */
function scan(words, context) {
  const items = [];
  const lost = new Set(); // Lengths of backtick runs that are never closed.
  let text = "";
  const flush = () => {
    if (text) items.push({ words: text });
    text = "";
  };
  const push = (item) => {
    flush();
    items.push(item);
  };
  for (let at = 0; at < words.length;) {
    const sign = words[at];
    if (sign === "\\" && ESCAPABLE.test(words[at + 1] ?? "")) {
      text += words[at + 1];
      at += 2;
    } else if (sign === "\n") {
      push({ node: el("br") });
      at += 1;
    } else if (sign === "`") {
      const [end, code] = codeAt(words, at, lost);
      if (code === null) text += words.slice(at, end);
      else push({ node: el("code", {}, context.filled(code)) });
      at = end;
    } else if (!context.linked && (sign === "[" || (sign === "!" && words[at + 1] === "["))) {
      const found = matchAt(LINK, words, at);
      if (found) push({ node: sign === "!" ? picture(found[1], found[2], context) : link(found[1], found[2], context) });
      else text += sign;
      at += found ? found[0].length : 1;
    } else if (!context.linked && (sign === "<" || sign === "h") && matchAt(AUTO, words, at)) {
      const found = matchAt(AUTO, words, at);
      // A stop behind an address ends the sentence, and so does a bracket that was opened before it.
      const bare = found[1] ? found[0] : found[0].replace(/(?:[.,;:!?*_~]|\)(?![^(]*\())+$/, "");
      const address = found[1] ?? bare;
      if (sign === "h" && LETTER.test(words[at - 1] ?? " ")) text += bare;
      else push({ node: link(null, address, context) });
      at += bare.length;
    } else if ("*_~".includes(sign)) {
      let end = at;
      while (words[end] === sign) end += 1;
      const token = emphasis(words, at, end);
      if (token) push(token);
      else text += words.slice(at, end);
      at = end;
    } else {
      text += sign;
      at += 1;
    }
  }
  flush();
  return items;
}

function matchAt(pattern, words, at) {
  pattern.lastIndex = at;
  return pattern.exec(words);
}

/** The end of a run of backticks and what they hold; null where they are plain signs. */
function codeAt(words, at, lost) {
  let begin = at;
  while (words[begin] === "`") begin += 1;
  const length = begin - at;
  if (lost.has(length)) return [begin, null];
  for (let next = words.indexOf("`", begin); next >= 0;) {
    let end = next;
    while (words[end] === "`") end += 1;
    if (end - next === length) {
      const code = words.slice(begin, next).replace(/\n/g, " ");
      return [end, /^ .*[^ ].* $/.test(code) ? code.slice(1, -1) : code];
    }
    next = words.indexOf("`", end);
  }
  lost.add(length);
  return [begin, null];
}

/** A run of signs that may open or close emphasis; null for one that does neither. */
function emphasis(words, at, end) {
  const sign = words[at];
  const count = end - at;
  if (sign === "~" && count !== 2) return null;
  const before = words[at - 1] ?? " ";
  const after = words[end] ?? " ";
  const space = /\s/;
  const stop = /[\p{P}\p{S}]/u;
  const left = !space.test(after) && (!stop.test(after) || space.test(before) || stop.test(before));
  const right = !space.test(before) && (!stop.test(before) || space.test(after) || stop.test(after));
  // A low line inside a word, as in snake_case, is a sign of the word.
  const opens = sign === "_" ? left && (!right || stop.test(before)) : left;
  const closes = sign === "_" ? right && (!left || stop.test(after)) : right;
  return opens || closes ? { sign, count, opens, closes } : null;
}

/** Put what stands between two fitting signs into an element of its own, the innermost first. */
function pair(items) {
  const bottom = new Map(); // Below this place there is no opener for such a closer: keeps the search short.
  for (let closer = 0; closer < items.length; closer += 1) {
    const end = items[closer];
    if (!end.sign || !end.closes || !end.count) continue;
    const kind = `${end.sign}${end.opens}${end.count % 3}`;
    let opener = closer - 1;
    const lowest = bottom.get(kind) ?? 0;
    while (opener >= lowest && !fits(items[opener], end)) opener -= 1;
    if (opener < lowest) {
      bottom.set(kind, closer);
      continue;
    }
    const begin = items[opener];
    const used = end.sign === "~" ? 2 : begin.count >= 2 && end.count >= 2 ? 2 : 1;
    const name = end.sign === "~" ? "del" : used === 2 ? "strong" : "em";
    const inner = items.splice(opener + 1, closer - opener - 1, { name, inner: [] });
    items[opener + 1].inner = inner;
    begin.count -= used;
    end.count -= used;
    bottom.clear();
    // The closer stands two places behind the opener now; what is left of it is looked at again.
    closer = opener + 1;
  }
}

function fits(begin, end) {
  if (begin.sign !== end.sign || !begin.opens || !begin.count) return false;
  if (end.sign === "~") return begin.count === end.count;
  const both = begin.closes || end.opens;
  return !(both && (begin.count + end.count) % 3 === 0 && (begin.count % 3 || end.count % 3));
}

function nodes(one, context) {
  if (one.node) return [one.node];
  if (one.name) return [el(one.name, {}, one.inner.flatMap((inner) => nodes(inner, context)))];
  return one.sign ? [one.sign.repeat(one.count)] : context.filled(one.words);
}

/** The address of a link that may be followed; null for any other kind. */
function safe(address) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  const known = (url.protocol === "https:" || url.protocol === "http:") && !url.username && !url.password;
  return known || url.protocol === "mailto:" ? url : null;
}

/** A link that says where it leads. With a private value in its address it is none: to follow it would tell the value. */
function link(words, given, context) {
  const address = given.replace(/^<|>$/g, "");
  const url = context.hasKept(address) ? null : safe(address);
  const label = words === null ? context.filled(address.replace(/^mailto:/, "")) : inline(words, { ...context, linked: true });
  if (!url) {
    const why = context.hasKept(address) ? ": no link, as it has a private value in it" : "";
    return el("span", { class: "no-link" }, label, el("span", { class: "fact" }, " (", words === null ? [] : context.filled(address), words === null ? why.slice(2) : why, ")"));
  }
  const where = url.protocol === "mailto:" ? url.pathname : url.host;
  return el("span", {},
    el("a", { href: url.href, target: "_blank", rel: "noopener noreferrer nofollow", referrerpolicy: "no-referrer", title: url.href }, label),
    words !== null && !words.includes(where) && el("span", { class: "fact" }, ` (${where})`));
}

/** A picture is never loaded: asking for it would tell its host what stands in the address. */
function picture(words, given, context) {
  return el("span", { class: "no-link" }, "Picture, not loaded: ", context.filled(words || "without words"),
    el("span", { class: "fact" }, " (", context.filled(given.replace(/^<|>$/g, "")), ")"));
}
