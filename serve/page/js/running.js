// A run as it goes on: its steps, the domains, the experts, the rounds, and the answer with restored values marked.

import { announce, byId, copyButton, el } from "./dom.js";
import { Offsets } from "./offsets.js";
import { memberships } from "./chart.js";
import { markedPlaceholders, pieces } from "./marks.js";
import { state } from "./store.js";

const STEPS = [
  ["Find", ["fuse_views"]], ["Replace", ["anonymize"]], ["Choose experts", ["write_prompts"]], ["Airlock", ["airlock"]],
  ["Experts", ["public.fuse", "public.solve", "public.assemble"]], ["Disproof", ["call_public_graph"]], ["Restore", ["restore"]],
];
const ROUTES = { both: "domain experts, then disproof", knowledge: "sub-questions", logic: "reasoning and substitution" };
const VERDICTS = {
  converged: "converged: nothing speaks against the answer any more", exhausted: "no rival answer is left",
  unconverged: "the round limit was reached", "no verdict": "no verdict could be read", off: "off",
};

/** The view of one run. */
export class Run {
  constructor(found) {
    this.found = found;
    this.domains = [];
    this.experts = new Map();
    this.done = 0;
    this.parts = {
      steps: el("ol", { class: "steps", aria: { label: "Steps" } }),
      domains: el("div", { class: "panel", hidden: true }),
      experts: el("div", { class: "experts" }),
      rounds: el("ol", { class: "rounds" }),
      roundsBox: el("div", { class: "panel", hidden: true }),
      answer: el("div", { class: "answer", hidden: true }),
    };
    this.parts.roundsBox.append(el("h3", {}, "Rounds"), this.parts.rounds);
    this.box = byId("run");
    this.box.hidden = false;
    this.box.replaceChildren(
      el("h2", { id: "run-title" }, "Answer"), this.parts.steps, this.parts.answer,
      el("div", { class: "backstage" }, this.parts.domains, el("div", { class: "panel", hidden: true }, el("h3", {}, "Experts"), this.parts.experts), this.parts.roundsBox));
    this.showSteps();
    announce("Sent. The experts are being asked.");
  }

  showSteps(failed = false) {
    this.parts.steps.replaceChildren(...STEPS.map(([name], index) => {
      const how = index < this.done ? "done" : index === this.done ? (failed ? "failed" : "now") : "later";
      return el("li", { class: how, "aria-current": how === "now" ? "step" : null }, name, el("span", { class: "sr" }, { done: ", done", now: ", going on", failed: ", failed", later: "" }[how]));
    }));
  }

  /** Take a stage that has ended. */
  stage(news) {
    const reached = STEPS.findIndex(([, names]) => names.includes(news.stage));
    if (reached >= this.done) {
      this.done = reached + 1;
      this.showSteps();
    }
    if (news.domains) this.showDomains(news.domains);
    for (const answer of news.answers ?? []) this.expert(answer.domain, answer);
    for (const failure of news.failures ?? []) this.expert(failure.domain, failure);
    if (news.votes) this.round(`Vote on the route: ${news.votes.join(", ")}`);
    if (news.route && news.route !== "both") this.round(`Route: ${ROUTES[news.route] ?? news.route}`);
    for (const [n, question] of (news.questions ?? []).entries()) this.round(`Sub-question ${n + 1}: `, question);
    for (const part of news.parts ?? []) this.round(`Sub-question ${part.number} answered: `, part.answer);
    for (const one of news.contradictions ?? []) this.round(`Round ${one.round}: a contradiction. `, one.reason, "against");
    for (const one of news.counterfactuals ?? []) {
      this.round(`Round ${one.round}: the rival “${one.text}” ${one.contradicted ? "is contradicted. " : "is tenable. "}`, one.reason, one.contradicted ? "for" : "against");
    }
    if (news.stage === "public.disprove" && !news.contradictions?.length && !news.counterfactuals?.length && news.rounds) {
      this.round(`Round ${news.rounds}: no contradiction found.`, "", "for");
    }
    if (news.verdict && news.verdict !== "off") this.round(`Verdict: ${VERDICTS[news.verdict] ?? news.verdict}.`);
  }

  showDomains(domains) {
    this.domains = domains;
    this.parts.domains.hidden = false;
    this.parts.domains.replaceChildren(el("h3", {}, "Domains"), memberships(domains));
    this.parts.experts.parentElement.hidden = false;
    for (const one of domains) this.expert(one.domain, null);
    announce(`Asking the experts for ${domains.map((one) => one.domain).join(", ")}.`);
  }

  /** Show an expert that is asked, has answered or has failed. */
  expert(domain, news) {
    let card = this.experts.get(domain);
    if (!card) {
      card = el("details", { class: "expert waiting" }, el("summary", {}, domain), el("div", { class: "said" }));
      this.experts.set(domain, card);
      this.parts.experts.parentElement.hidden = false;
      this.parts.experts.append(card);
    }
    if (!news) return;
    const summary = card.querySelector("summary");
    card.classList.remove("waiting");
    if (news.text !== undefined) {
      summary.replaceChildren(domain, el("span", { class: "fact" }, `answered in ${news.seconds.toFixed(1)} s`));
      card.querySelector(".said").replaceChildren(...markedPlaceholders(news.text, this.found));
      announce(`The expert for ${domain} has answered.`);
    } else {
      card.classList.add("failed");
      summary.replaceChildren(domain, el("span", { class: "fact" }, "gave no answer"));
      card.querySelector(".said").replaceChildren(`${news.error}: ${news.reason}`);
    }
  }

  round(text, quoted = "", kind = "") {
    this.parts.roundsBox.hidden = false;
    this.parts.rounds.append(el("li", { class: kind }, text, ...(quoted ? markedPlaceholders(quoted, this.found) : [])));
  }

  /** Show the whole reply. */
  reply(reply) {
    this.done = STEPS.length;
    this.showSteps();
    if (!this.domains.length && reply.domains.length) this.showDomains(reply.domains);
    for (const one of reply.experts) {
      if (one.answer !== null && one.answer !== undefined) this.expert(one.domain, { text: one.answer, seconds: one.seconds ?? 0 });
    }
    this.parts.answer.hidden = false;
    this.parts.answer.replaceChildren(...answer(reply));
    announce("The answer is here.");
    this.parts.answer.scrollIntoView({ block: "nearest" });
  }

  fail() {
    this.showSteps(true);
    for (const card of this.experts.values()) card.classList.remove("waiting");
  }
}

/** Where values were put back, in UTF-16 units. */
function places(reply) {
  const offsets = new Offsets(reply.answer);
  return (reply.restored ?? []).map((one) => ({ ...one, start: offsets.toUnits(one.start), end: offsets.toUnits(one.end) }));
}

/** The answer with the placeholders that the model wrote. */
export function withPlaceholders(reply) {
  return pieces(reply.answer, places(reply)).map((piece) => (typeof piece === "string" ? piece : piece.one.placeholder)).join("");
}

/** An answer with what belongs to it. */
export function answer(reply) {
  const text = pieces(reply.answer, places(reply)).map((piece) =>
    typeof piece === "string" ? piece : el("mark", { class: "restored", title: `put back for ${piece.one.placeholder}` }, piece.text));
  const count = reply.restored?.length ?? 0;
  return [
    el("div", { class: "answer-text" }, ...text),
    el("p", { class: "hint" }, count ? `${count} private ${count === 1 ? "value was" : "values were"} put back on this side (marked).` : "No private value had to be put back."),
    el("div", { class: "row" },
      copyButton("Copy answer", "The answer", () => reply.answer),
      count > 0 && copyButton("Copy with placeholders", "The answer with placeholders", () => withPlaceholders(reply))),
    reply.warnings.length > 0 && el("ul", { class: "notes" }, ...reply.warnings.map((warning) => el("li", {}, warning))),
    facts(reply),
  ].filter(Boolean);
}

function facts(reply) {
  const rows = [
    ["Public model", reply.models?.public], ["Private side", reply.models?.private], ["Route", ROUTES[reply.route] ?? reply.route],
    ["Rounds of disproof", `${reply.rounds}, ${VERDICTS[reply.verdict] ?? reply.verdict}`],
    ["Calls and tokens", `${reply.usage?.calls ?? 0} calls, ${(reply.usage?.input_tokens ?? 0) + (reply.usage?.output_tokens ?? 0)} tokens`],
    ["Conversation", reply.thread],
  ];
  return el("details", { class: "facts" }, el("summary", {}, "How it was answered"),
    el("dl", {}, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, String(value ?? "–"))])),
    el("h3", {}, "What left"), el("div", { class: "leaving-text" }, ...markedPlaceholders(reply.anonymized, state.found)));
}
