// The text to look over: its spans can be reached one by one, kept, hidden, retyped, and new ones added.

import { announce, byId } from "./dom.js";
import { trimmed } from "./decisions.js";
import { dismissInspector, inspect, inspectSelection, openType } from "./inspector.js";
import { button, markQuestions, pieces } from "./marks.js";
import { makeDecision, takeBack } from "./review.js";
import { on, state } from "./store.js";

const view = byId("checked");
let at = 0; // Start of the span that has the focus, so that it is found again after a change.
let drawing = false;
let words = null; // While words are being chosen by keyboard: first and last of them.

export function startChecking() {
  view.addEventListener("keydown", onKey);
  view.addEventListener("click", (event) => {
    const index = event.target.closest?.(".span")?.dataset.index;
    if (index !== undefined && window.getSelection().isCollapsed) focusSpan(Number(index));
  });
  view.addEventListener("focusin", (event) => {
    const index = event.target.dataset?.index;
    if (index === undefined) return;
    // A redraw before the server has answered must not lose the place of a span that is still to come.
    if (!drawing) at = state.found[index].start;
    rove(Number(index));
    inspect(state.found[index]);
  });
  view.addEventListener("pointerup", () => setTimeout(offer));
  document.addEventListener("selectionchange", () => { if (!words && !window.getSelection().isCollapsed) offer(); });
  byId("hide-selection").addEventListener("click", () => { if (state.view === "check") addSelection(); });
  on("review", draw);
  on("text", draw);
  on("view", () => { draw(); if (state.view === "check") focusSpan(nearest()); });
}

function draw() {
  if (state.view !== "check") return;
  const held = view.contains(document.activeElement);
  let index = 0;
  view.replaceChildren(...pieces(state.text, state.found).map((piece) => (typeof piece === "string" ? piece : button(piece.text, piece.one, index++))));
  markQuestions(view, state.current ? state.questions : []);
  byId("checker").classList.toggle("busy", !state.current);
  const here = nearest();
  rove(here);
  if (words) {
    highlightWords();
    return;
  }
  if (state.found[here]) inspect(state.found[here]);
  else dismissInspector();
  if (held) {
    drawing = true;
    (spans()[here] ?? view).focus({ preventScroll: true });
    drawing = false;
  }
}

const spans = () => [...view.querySelectorAll(".span")];

function nearest() {
  const index = state.found.findIndex((one) => one.start >= at);
  return index < 0 ? Math.max(0, state.found.length - 1) : index;
}

function rove(index) {
  spans().forEach((span, n) => { span.tabIndex = n === index ? 0 : -1; });
  // Without a span, the text itself takes the focus.
  view.tabIndex = state.found.length ? -1 : 0;
}

export function focusSpan(index) {
  const all = spans();
  if (!all.length) {
    view.focus();
    return;
  }
  all[(index + all.length) % all.length].focus();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (words && chooseWords(event)) {
    event.preventDefault();
    return;
  }
  const index = Number(event.target.dataset?.index ?? -1);
  const one = state.found[index];
  const act = {
    ArrowRight: () => focusSpan(index + 1), ArrowDown: () => focusSpan(index + 1),
    ArrowLeft: () => focusSpan(index - 1), ArrowUp: () => focusSpan(index - 1),
    Home: () => focusSpan(0), End: () => focusSpan(state.found.length - 1),
    h: () => one && change(one, true), k: () => one && change(one, false),
    t: () => one && openType(), u: () => one && undo(one), a: () => beginWords(one),
    Enter: () => one && byId("inspector").querySelector("button")?.focus(),
    " ": () => one && change(one, !one.private),
  }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

/** Hide a mention or let it leave; its type stays. */
export async function change(one, hide) {
  at = one.start;
  await makeDecision({ start: one.start, end: one.end, private: hide, subtype: one.subtype });
  announce(hide ? `${one.text} is hidden.` : `${one.text} stays visible and will leave.`);
}

async function undo(one) {
  at = one.start;
  await takeBack(one.start, one.end);
  announce("Your decision was taken back.");
}

/** What is selected with the pointer or by words, in UTF-16 units. */
export function selection() {
  const chosen = window.getSelection();
  if (chosen.isCollapsed || !chosen.rangeCount) return null;
  const range = chosen.getRangeAt(0);
  if (!view.contains(range.startContainer) || !view.contains(range.endContainer)) return null;
  const start = lengthTo(range.startContainer, range.startOffset);
  return trimmed(state.text, start, start + range.toString().length);
}

function lengthTo(node, offset) {
  const range = document.createRange();
  range.selectNodeContents(view);
  range.setEnd(node, offset);
  return range.toString().length;
}

function offer() {
  if (state.view !== "check") return;
  const stretch = selection();
  byId("hide-selection").disabled = !stretch;
  if (stretch) inspectSelection(stretch, decideSelection);
}

function addSelection() {
  const stretch = selection();
  if (stretch) decideSelection({ ...stretch, private: true });
}

async function decideSelection(made) {
  const text = state.text.slice(made.start, made.end);
  words = null;
  view.classList.remove("choosing");
  window.getSelection().removeAllRanges();
  at = made.start;
  view.focus();
  await makeDecision(made);
  announce(made.private ? `${text} is hidden.` : `${text} stays visible and will leave.`);
}

// Choosing words by keyboard: arrows move, Shift and arrows extend, Enter hides, Escape ends.

function wordBounds() {
  return Array.from(state.text.matchAll(/[\p{L}\p{N}\p{M}]+(?:['’.@_\-/+:][\p{L}\p{N}\p{M}]+)*|[^\s\p{L}\p{N}]+/gu), (match) => [match.index, match.index + match[0].length]);
}

function beginWords(one) {
  const all = wordBounds();
  if (!all.length) return;
  const first = Math.max(0, all.findIndex(([start]) => start >= (one ? one.end : 0)));
  words = { all, first, last: first, focus: first };
  view.classList.add("choosing");
  view.tabIndex = -1;
  view.focus();
  selectWords("Choose words: arrows move, Shift and arrows extend, Enter hides, Escape ends. ");
}

function chooseWords(event) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step) {
    const to = Math.min(words.all.length - 1, Math.max(0, words.focus + step));
    if (event.shiftKey) words = { ...words, focus: to };
    else words = { ...words, first: to, focus: to };
    selectWords();
    return true;
  }
  if (event.key === "Enter") {
    addSelection();
    return true;
  }
  if (event.key === "Escape") {
    words = null;
    view.classList.remove("choosing");
    window.getSelection().removeAllRanges();
    byId("hide-selection").disabled = true;
    draw();
    focusSpan(nearest());
    announce("No words chosen.");
    return true;
  }
  if (event.key === "Tab") return false;
  return event.key.length === 1;
}

function selectWords(before = "") {
  const { from, to, range } = highlightWords();
  range.startContainer.parentElement.scrollIntoView({ block: "nearest" });
  byId("hide-selection").disabled = false;
  announce(before + state.text.slice(from, to));
}

function highlightWords() {
  const from = words.all[Math.min(words.first, words.focus)][0];
  const to = words.all[Math.max(words.first, words.focus)][1];
  const range = document.createRange();
  range.setStart(...place(from));
  range.setEnd(...place(to));
  const chosen = window.getSelection();
  chosen.removeAllRanges();
  chosen.addRange(range);
  inspectSelection({ start: from, end: to }, decideSelection);
  return { from, to, range };
}

/** The text node and the offset in it of an offset of the text. */
function place(offset) {
  const walk = document.createTreeWalker(view, NodeFilter.SHOW_TEXT);
  let passed = 0;
  let last = [view, 0];
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (offset <= passed + node.data.length) return [node, offset - passed];
    passed += node.data.length;
    last = [node, node.data.length];
  }
  return last;
}
