// A run as it goes on: its steps, the domains, the experts, the rounds, and the answer with restored values marked.

import { announce, byId, el, put } from "./dom.js";
import { answer } from "./answer.js";
import { memberships } from "./chart.js";
import { markdown } from "./markdown.js";
import { markdownWithPlaceholders, markedPlaceholders, placeholdersIn } from "./marks.js";
import { state } from "./store.js";
import { ROUTES, VERDICTS } from "./types.js";

/** The view of one run. */
export class Run {
  /** `found` are the mentions of the text, `asked` is who gets it. */
  constructor(found, asked) {
    this.found = found;
    this.asked = asked;
    this.steps = Object.entries(state.about?.steps ?? {});
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
      draft: el("div", { class: "answer draft", hidden: true }),
    };
    this.parts.roundsBox.append(el("h3", {}, "Cross-checks"), this.parts.rounds);
    this.box = byId("run");
    this.box.hidden = false;
    this.box.replaceChildren(
      el("h2", { id: "run-title" }, "Answer"), this.parts.steps, this.parts.draft, this.parts.answer,
      el("div", { class: "backstage" }, this.parts.domains, el("div", { class: "panel", hidden: true }, el("h3", {}, "Experts"), this.parts.experts), this.parts.roundsBox));
    this.showSteps();
    this.box.scrollIntoView({ block: "start" });
    announce("Sent. The experts are being asked.");
  }

  showSteps(failed = false) {
    this.parts.steps.replaceChildren(...this.steps.map(([name], index) => {
      const how = index < this.done ? "done" : index === this.done ? (failed ? "failed" : "now") : "later";
      return el("li", { class: how, "aria-current": how === "now" ? "step" : null }, name, el("span", { class: "sr" }, { done: ", done", now: ", going on", failed: ", failed", later: "" }[how]));
    }));
  }

  /** Take a stage that has ended. */
  stage(news) {
    const reached = this.steps.findIndex(([, names]) => names.includes(news.stage));
    if (reached >= this.done) {
      this.done = reached + 1;
      this.showSteps();
    }
    if (news.domains) this.showDomains(news.domains);
    for (const one of news.answers ?? []) this.expert(one.domain, one);
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
    if (news.verdict && news.verdict !== "off") this.round(`Outcome: ${VERDICTS[news.verdict] ?? news.verdict}.`);
    if (news.answer) this.draft("The experts' answers put together", news.answer);
  }

  /** Show what is known of the answer already, its values put back by the page: it may still change. */
  draft(whose, text) {
    if (this.parts.draft.dataset.from === "fused") return;
    this.parts.draft.dataset.from = whose.startsWith("The experts") ? "fused" : "expert";
    this.parts.draft.hidden = false;
    put(this.parts.draft,
      el("p", { class: "hint" }, `Draft: ${whose}. It is still being checked.`),
      el("div", { class: "answer-draft" }, markdown(text, placeholdersIn(text, this.found), (words, one) => el("mark", { class: "restored", title: `put back for ${words}` }, one.text))));
  }

  showDomains(domains) {
    this.domains = domains;
    this.parts.domains.hidden = false;
    this.parts.domains.replaceChildren(el("h3", {}, "Fields it belongs to"), memberships(domains));
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
      put(card.querySelector(".said"), markdownWithPlaceholders(news.text, this.found));
      if (this.parts.draft.hidden && this.parts.answer.hidden) this.draft(`what the expert for ${domain} says`, news.text);
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
    this.done = this.steps.length;
    this.showSteps();
    if (!this.domains.length && reply.domains.length) this.showDomains(reply.domains);
    for (const one of reply.experts) {
      if (one.answer !== null && one.answer !== undefined) this.expert(one.domain, { text: one.answer, seconds: one.seconds ?? 0 });
    }
    this.parts.draft.remove();
    this.parts.answer.hidden = false;
    put(this.parts.answer, answer(reply, this.asked));
    announce("The answer is here.");
    this.box.scrollIntoView({ block: "start" });
  }

  fail() {
    this.showSteps(true);
    this.parts.draft.remove();
    for (const card of this.experts.values()) card.classList.remove("waiting");
  }
}
