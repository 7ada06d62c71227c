// Markdown as elements: a strict subset, made of names and texts. Nothing is read as HTML and nothing is loaded: a picture
// is told by its words, a link opens elsewhere without a referrer and says where it leads. What stands in the text for
// a marked place (a restored value, a placeholder) is never read as Markdown.

import { el } from "./dom.js";
import { inline } from "./inline.js";
import { codeBlock } from "./codeblock.js";

const MOST_COLUMNS = 50;
const DEEPEST = 8; // Lists in lists and quotes in quotes; what is deeper is a plain text.

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])([ \t]{1,4}(?=\S)|[ \t]*$|[ \t](?=[ \t]))/;
const DIVIDER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/**
 * Elements for a text. `places` are stretches of it, in UTF-16 units and in order, that are taken as they are;
 * `mark` makes the element of one from its words and the place.
 */
export function markdown(text, places = [], mark = (words) => words) {
  const [open, close] = unused(text);
  let plain = "";
  let at = 0;
  const kept = [];
  for (const one of places) {
    if (one.start < at || one.end > text.length) continue;
    plain += `${text.slice(at, one.start)}${open}${kept.length}${close}`;
    kept.push([text.slice(one.start, one.end), one]);
    at = one.end;
  }
  plain += text.slice(at);
  const sign = new RegExp(`${open}(\\d+)${close}`, "g");
  const context = {
    headings: [],
    hasKept: (words) => words.includes(open),
    /** Words with their marks put in, as a list of texts and elements. */
    filled(words) {
      const out = [];
      let from = 0;
      for (const match of words.matchAll(sign)) {
        const [surface, one] = kept[Number(match[1])];
        out.push(words.slice(from, match.index), mark(surface, one));
        from = match.index + match[0].length;
      }
      out.push(words.slice(from));
      return out.filter((piece) => piece !== "");
    },
    /** Words with what stood at the marks, as one text. */
    source: (words) => words.replace(sign, (_, number) => kept[Number(number)][0]),
  };
  return blocks(plain.replace(/\r\n?/g, "\n").split("\n"), context, 0);
}

/** Two signs of the private use area that a text has not got. */
function unused(text) {
  const out = [];
  for (let code = 0xe000; out.length < 2; code += 1) {
    const sign = String.fromCharCode(code);
    if (!text.includes(sign)) out.push(sign);
  }
  return out;
}

const blank = (line) => line.trim() === "";
const indent = (line) => line.match(/^ */)[0].length;
const tabless = (line) => line.replace(/^[ \t]+/, (space) => space.replace(/\t/g, "    "));

function blocks(given, context, depth) {
  const lines = given.map(tabless);
  const out = [];
  let at = 0;
  while (at < lines.length) {
    if (blank(lines[at])) {
      at += 1;
      continue;
    }
    const [node, next] = block(lines, at, context, depth);
    out.push(node);
    at = next;
  }
  return out;
}

/** The block that begins at a line, and the line behind it. */
function block(lines, at, context, depth) {
  const line = lines[at];
  const fence = line.match(FENCE);
  if (fence) return fenced(lines, at, fence, context);
  const title = line.match(HEADING);
  if (title) return [heading(title[1].length, title[2] ?? "", context), at + 1];
  if (RULE.test(line)) return [el("hr"), at + 1];
  if (depth < DEEPEST && QUOTE.test(line)) {
    const end = runOf(lines, at, (one) => QUOTE.test(one));
    return [el("blockquote", {}, blocks(lines.slice(at, end).map((one) => one.replace(QUOTE, "")), context, depth + 1)), end];
  }
  if (depth < DEEPEST && ITEM.test(line)) return list(lines, at, context, depth);
  if (isTable(lines, at)) return table(lines, at, context);
  if (indent(line) >= 4) {
    const end = runOf(lines, at, (one) => indent(one) >= 4 || blank(one));
    return [codeBlock("", lines.slice(at, end).map((one) => one.slice(4)).join("\n").trimEnd(), context), end];
  }
  return paragraph(lines, at, context, depth);
}

function runOf(lines, from, belongs) {
  let end = from + 1;
  while (end < lines.length && belongs(lines[end])) end += 1;
  return end;
}

function fenced(lines, at, [, sign, info], context) {
  const margin = indent(lines[at]);
  const closing = new RegExp(`^ {0,3}${sign[0]}{${sign.length},}[ \\t]*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end])) end += 1;
  const body = lines.slice(at + 1, end).map((one) => one.slice(Math.min(margin, indent(one))));
  return [codeBlock(info.trim().split(/\s/)[0], body.join("\n"), context), end + 1];
}

/** Levels follow one another below the page's own headings, whatever signs the model chose. */
function heading(level, words, context) {
  while (context.headings.length && context.headings.at(-1) >= level) context.headings.pop();
  context.headings.push(level);
  return el(`h${Math.min(6, 2 + context.headings.length)}`, {}, inline(words, context));
}

function list(lines, at, context, depth) {
  const [, , sign] = lines[at].match(ITEM);
  const ordered = /\d/.test(sign);
  const items = [];
  let loose = false;
  let end = at;
  while (end < lines.length) {
    const begin = lines[end].match(ITEM);
    if (!begin || RULE.test(lines[end]) || /\d/.test(begin[2]) !== ordered || begin[2].at(-1) !== sign.at(-1)) break;
    const width = begin[0].trimEnd().length + Math.max(1, begin[3].length);
    const item = [lines[end].slice(begin[0].length)];
    end += 1;
    let gap = false;
    let margin = null; // What stands before the first line that belongs to the item goes from all of them.
    for (; end < lines.length; end += 1) {
      const one = lines[end];
      if (blank(one)) {
        gap = true;
        item.push("");
        continue;
      }
      // Models put two spaces before what belongs to a numbered item as well.
      const inner = indent(one) >= Math.min(width, 2);
      if (!inner && (gap || starts(one))) break;
      if (inner) margin ??= Math.min(width, indent(one));
      item.push(one.slice(Math.min(margin ?? width, indent(one))));
      loose = loose || (gap && inner && !ITEM.test(one.trimStart()));
      gap = false;
    }
    if (gap && end < lines.length && ITEM.test(lines[end])) loose = true;
    while (item.length && blank(item.at(-1))) item.pop();
    items.push(item);
  }
  const nodes = items.map((item) => el("li", {}, blocks(item, context, depth + 1).flatMap((node) => (!loose && node.localName === "p" ? [...node.childNodes] : [node]))));
  return [ordered ? el("ol", { start: String(parseInt(sign, 10)) }, nodes) : el("ul", {}, nodes), end];
}

/** Whether a line begins another block where a paragraph goes on. */
function starts(line) {
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);
}

function isTable(lines, at) {
  if (!lines[at].includes("|") || at + 1 >= lines.length || !DIVIDER.test(lines[at + 1])) return false;
  const columns = cells(lines[at + 1]).length;
  return columns <= MOST_COLUMNS && cells(lines[at]).length === columns;
}

/** The cells of a row; a bar behind a backslash or in a code is no border. */
function cells(line) {
  const inner = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  const out = [""];
  let code = false;
  for (let at = 0; at < inner.length; at += 1) {
    const sign = inner[at];
    if (sign === "\\" && inner[at + 1] === "|") {
      out[out.length - 1] += "|";
      at += 1;
    } else if (sign === "|" && !code) out.push("");
    else {
      if (sign === "`") code = !code;
      out[out.length - 1] += sign;
    }
  }
  return out.map((cell) => cell.trim());
}

function table(lines, at, context) {
  const sides = cells(lines[at + 1]).map((cell) => (cell.endsWith(":") ? (cell.startsWith(":") ? "middle" : "end") : null));
  const row = (line, name) => {
    const given = cells(line);
    return el("tr", {}, sides.map((side, n) => el(name, { class: side, scope: name === "th" && "col" }, inline(given[n] ?? "", context))));
  };
  const end = runOf(lines, at + 1, (line) => !blank(line) && line.includes("|"));
  return [el("div", { class: "table", role: "group", tabindex: "0", aria: { label: "Table of the answer" } },
    el("table", {}, el("thead", {}, row(lines[at], "th")), el("tbody", {}, lines.slice(at + 2, end).map((line) => row(line, "td"))))), end];
}

function paragraph(lines, at, context, depth) {
  // A number in the middle of a paragraph begins no list, unless it is a first one.
  const ends = (line) => blank(line) || (starts(line) && (depth < DEEPEST || !(QUOTE.test(line) || ITEM.test(line))) && !/^ {0,3}(?!1[.)])\d/.test(line));
  let end = at + 1;
  while (end < lines.length && !ends(lines[end]) && !isTable(lines, end)) end += 1;
  const words = lines.slice(at, end).map((line) => line.trim().replace(/\\$/, ""));
  return [el("p", {}, inline(words.join("\n"), context)), end];
}
