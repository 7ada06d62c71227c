// Sending, watching, stopping, going on; and what is kept of it.

import { Refused, getJson, postJson, postStream, remove } from "./api.js";
import { announce, byId, clearProblem, confirmed, el, put, showProblem } from "./dom.js";
import { forServer } from "./decisions.js";
import { Offsets } from "./offsets.js";
import { dropDraft, forgetLocally, keepConversation, saveDraft } from "./history.js";
import { preference, options } from "./preferences.js";
import { query, replaceText, reviewNow, toRewrite } from "./review.js";
import { answer } from "./answer.js";
import { boxes, forgetBoxes } from "./boxes.js";
import { destination } from "./destination.js";
import { Run } from "./running.js";
import { newThread, on, state, tell } from "./store.js";

let stopping = null;

export function startConversation() {
  byId("send").addEventListener("click", () => go());
  byId("stop").addEventListener("click", () => stopping?.abort());
  byId("new").addEventListener("click", startAnew);
  byId("forget").addEventListener("click", forgetThis);
  for (const kind of ["text", "review", "view", "run", "mode", "turns", "history"]) on(kind, label);
  on("turns", showTurns);
  on("text", saveDraft);
  label();
}

function label() {
  const send = byId("send");
  const looking = preference("lookFirst") && state.view === "write";
  // What was answered is sent again only on purpose: then the way on is in the answer.
  const answered = state.turns.at(-1)?.text === state.text && !byId("run").hidden && !state.running;
  send.classList.toggle("primary", !answered);
  send.textContent = answered ? "Send again" : looking ? "Check, then send" : state.view === "check" ? "Send" : "Send at once";
  send.disabled = state.running || !state.text.trim();
  send.hidden = state.running;
  byId("stop").hidden = !state.running;
  byId("text").readOnly = state.running;
  byId("to-check").disabled = !state.text.trim();
  // Red is for what can be lost: a conversation that has begun, or what restores a text that was copied from it.
  byId("forget").hidden = !state.turns.length && !state.sent && !boxes().some((one) => one.thread === state.thread);
  byId("forget").disabled = state.running;
  byId("new").hidden = !state.turns.length && !state.sent && !state.text;
  byId("new").disabled = state.running;
}

/** Go one step on: look first where that is wished, then send. */
export async function go() {
  if (state.running || !state.text.trim()) return;
  if (preference("lookFirst") && state.view === "write") {
    if (!state.current) await reviewNow();
    tell("check");
    return;
  }
  const looked = state.view === "check";
  if (looked && (!state.current || toRewrite()) && !(await reviewNow())) {
    if (state.reviewProblem) showProblem(`Nothing was sent. ${state.reviewProblem}`, [["Try again", go]]);
    return;
  }
  await send();
}

async function send() {
  clearProblem();
  const text = state.text;
  const decisions = state.decisions;
  const body = {
    question: text, query: query(), decisions: forServer(decisions, new Offsets(text)), options: options(),
    // What is on the screen is what leaves, or nothing does.
    reviewed: state.current && !toRewrite() ? state.anonymized : null,
    refinement: state.refinement,
  };
  state.running = true;
  state.sent = true;
  tell("run");
  const asked = destination();
  const run = new Run(state.found, asked);
  stopping = new AbortController();
  try {
    let reply = null;
    for await (const { event, data } of postStream(`/threads/${state.thread}/stream`, body, stopping.signal)) {
      if (event === "stage") run.stage(data);
      else if (event === "reply") reply = data;
      else if (event === "error") throw new Refused(data.status_code, data.code, data.message);
    }
    run.reply(reply);
    finish({ when: Date.now(), text, decisions, anonymized: reply.anonymized, reply, asked });
  } catch (error) {
    run.fail();
    tellProblem(error);
  } finally {
    state.running = false;
    stopping = null;
    tell("run");
  }
}

function tellProblem(error) {
  if (error.name === "AbortError") {
    showProblem("Stopped. Your text is still here.", [["Send again", go]]);
    return;
  }
  if (error.status === 401) tell("key", error.message);
  if (error.code === "review_outdated") {
    reviewNow();
    showProblem(`${error.message}`, [["Look again", () => tell("check")]]);
    return;
  }
  const again = [["Try again", go]];
  if (state.about?.keeps_threads && error.status === 0) again.push(["Take up where it stopped", resume]);
  showProblem(error.message, again);
}

/** Go on with a run that broke off, on a server that keeps threads: experts that have answered are not asked again. */
async function resume() {
  const { text, decisions } = state;
  const asked = destination();
  state.running = true;
  tell("run");
  const run = new Run(state.found, asked);
  try {
    const reply = await postJson(`/threads/${state.thread}/resume`, {});
    run.reply(reply);
    finish({ when: Date.now(), text, decisions, anonymized: reply.anonymized, reply, asked });
  } catch (error) {
    run.fail();
    tellProblem(error);
  } finally {
    state.running = false;
    tell("run");
  }
}

function finish(turn) {
  state.turns = [...state.turns, turn];
  keepConversation({ id: state.thread, turns: state.turns, box: state.box });
  const box = byId("run");
  box.append(el("div", { class: "row after" },
    el("button", { type: "button", class: "primary", onclick: goOn }, "Ask on in this conversation")));
}

/** Empty the field for the next turn; the placeholders of the conversation go on. */
export function goOn() {
  tell("turns");
  leaveRun();
  replaceText("");
  tell("write");
  byId("text").focus();
}

export function startAnew() {
  state.thread = newThread();
  state.turns = [];
  state.sent = false;
  state.box = "";
  tell("turns");
  leaveRun();
  clearProblem();
  dropDraft();
  replaceText("");
  tell("write");
  byId("text").focus();
}

function leaveRun() {
  byId("run").hidden = true;
  byId("run").replaceChildren();
}

/** Forget this conversation: on the server, in this browser and on the page. */
async function forgetThis() {
  const sure = await confirmed("Forget this conversation?", "It is erased here and, where the server kept it, there, with what restores texts copied from it. This cannot be undone.", "Forget");
  if (sure && (await forget(state.thread))) {
    startAnew();
    announce("Forgotten.");
  }
}

/** Forget a conversation; tells whether it is gone everywhere. */
export async function forget(thread) {
  try {
    await remove(`/threads/${thread}`);
  } catch (error) {
    // One that the server does not know is gone already.
    if (error.status !== 404) {
      showProblem(`It was not forgotten on the server. ${error.message}`, [["Try again", () => forget(thread)]]);
      if (error.status === 401) tell("key", error.message);
      return false;
    }
  }
  forgetLocally(thread);
  forgetBoxes(thread);
  return true;
}

/** Open a conversation of the history, or one that only the server has. */
export async function openConversation(id, kept) {
  if (state.running) return;
  let turns = kept?.turns;
  let box = kept?.box ?? "";
  if (!turns) {
    try {
      const told = await getJson(`/threads/${id}`);
      turns = told.reply ? [{ when: null, text: "", decisions: [], anonymized: told.reply.anonymized, reply: told.reply }] : [];
      box = told.box ?? "";
      if (told.status === "interrupted") showProblem("A run of this conversation broke off.", [["Take up where it stopped", resume]]);
    } catch (error) {
      showProblem(error.message);
      return;
    }
  }
  state.thread = id;
  state.turns = turns;
  state.box = box;
  state.sent = true;
  leaveRun();
  tell("turns");
  replaceText("");
  tell("write");
}

function showTurns() {
  const box = byId("turns");
  box.hidden = !state.turns.length;
  put(box, el("h2", { class: "sr" }, "Earlier in this conversation"), state.turns.map((turn, index) => el("details", { class: "card turn", open: index === state.turns.length - 1 },
    el("summary", {}, title(turn)),
    turn.text && el("div", { class: "turn-text" }, turn.text),
    el("div", { class: "answer" }, answer(turn.reply, turn.asked)))));
}

/** The first words of a turn. */
export function title(turn) {
  const words = (turn.text || turn.anonymized || "").trim().replace(/\s+/g, " ");
  return words.length > 70 ? `${words.slice(0, 69)}…` : words;
}
