// The text and what leaves scroll together: the same part of both is in sight.

import { byId } from "./dom.js";

export function startScrolling() {
  const right = byId("leaving-text");
  for (const left of [byId("writer"), byId("checked")]) {
    follow(left, right);
    follow(right, left);
  }
  // What is stuck above the bar, and what is scrolled to, must know its height.
  const bar = byId("actions");
  new ResizeObserver(() => document.documentElement.style.setProperty("--bar", `${bar.offsetHeight}px`)).observe(bar);
}

const set = new WeakMap(); // Where the page itself has scrolled a pane to: no wish of the person's.

function follow(from, to) {
  from.addEventListener("scroll", () => {
    if (set.get(from) === Math.round(from.scrollTop)) {
      set.delete(from);
      return;
    }
    const room = from.scrollHeight - from.clientHeight;
    const other = to.scrollHeight - to.clientHeight;
    if (room <= 0 || other <= 0) return;
    to.scrollTop = (from.scrollTop / room) * other;
    set.set(to, Math.round(to.scrollTop));
  }, { passive: true });
}
