// A small chart of how much the task belongs to each domain.

import { el, svg } from "./dom.js";

const ROW = 30;
const WIDTH = 320;

/** Bars of the memberships, with their linguistic terms; a table says the same to a screen reader. */
export function memberships(domains) {
  const height = domains.length * ROW;
  const rows = domains.map((one, index) => {
    const y = index * ROW;
    const width = Math.max(2, Math.min(1, one.score) * WIDTH);
    return svg("g", {},
      svg("text", { x: 0, y: y + 11, class: "chart-name" }, one.domain),
      svg("text", { x: WIDTH, y: y + 11, "text-anchor": "end", class: "chart-term" }, `${one.term} · ${one.score.toFixed(2)}`),
      svg("rect", { x: 0, y: y + 17, width: WIDTH, height: 6, rx: 3, class: "chart-back" }),
      svg("rect", { x: 0, y: y + 17, width, height: 6, rx: 3, class: "chart-bar" }));
  });
  return el("figure", { class: "chart" },
    svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `Memberships: ${domains.map((one) => `${one.domain} ${one.term.toLowerCase()}, ${one.score.toFixed(2)}`).join("; ")}` }, ...rows));
}
