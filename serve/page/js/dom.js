// Elements are made of names, properties and texts. No text is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element: `on…` are listeners, `data` and `aria` objects, booleans and the rest attributes. */
export function el(name, props = {}, ...children) {
  return fill(document.createElement(name), props, children);
}

/** Make an SVG element. */
export function svg(name, props = {}, ...children) {
  return fill(document.createElementNS(SVG, name), props, children);
}

function fill(node, props, children) {
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "data") Object.assign(node.dataset, value);
    else if (key === "aria") for (const [name, said] of Object.entries(value)) node.setAttribute(`aria-${name}`, said);
    else if (key === "value") node.value = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  // One by one: there may be more of them than a call takes arguments.
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
}

/** Put children into an element in the place of what is there; what is false or null is left out. */
export function put(node, ...children) {
  node.replaceChildren();
  return fill(node, {}, children);
}

export const byId = (id) => document.getElementById(id);

/** Tell a screen reader. Each message is a line of its own, so that a quick second one does not swallow the first. */
export function announce(text) {
  const live = byId("live");
  live.append(el("p", {}, text));
  while (live.children.length > 5) live.firstChild.remove();
}

/** Show a problem plainly, with what can be done about it. */
export function showProblem(text, actions = []) {
  const box = byId("problem");
  box.replaceChildren(
    el("p", {}, text),
    ...actions.map(([label, act]) => el("button", { type: "button", class: "small", onclick: () => { clearProblem(); act(); } }, label)),
    el("button", { type: "button", class: "small plain", onclick: clearProblem }, "Dismiss"),
  );
}

export function clearProblem() {
  byId("problem").replaceChildren();
}

/** Copy a text; where the clipboard API is not to be had, by way of a selection. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea", { class: "sr", value: text, aria: { hidden: "true" } });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  announce(`${what} copied.`);
}

/** A button that copies and says so on itself for a moment. */
export function copyButton(label, what, text) {
  const button = el("button", { type: "button", class: "small" }, label);
  button.addEventListener("click", async () => {
    await copy(text(), what);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1600);
  });
  return button;
}

/** Ask before something that cannot be undone. */
export function confirmed(title, text, doIt, choice = null) {
  const dialog = byId("confirm");
  return new Promise((resolve) => {
    let answer = null;
    const box = choice && el("input", { type: "checkbox", checked: true });
    dialog.replaceChildren(
      el("form", { method: "dialog" },
        el("h2", { id: "confirm-title" }, title),
        el("p", {}, text),
        box && el("label", { class: "switch" }, box, el("span", {}, choice)),
        el("div", { class: "dialog-actions" },
          el("button", { type: "submit", class: "plain", value: "no" }, "Cancel"),
          el("button", { type: "submit", class: "danger", value: "yes", onclick: () => { answer = { choice: box ? box.checked : false }; } }, doIt))),
    );
    dialog.addEventListener("close", () => resolve(answer), { once: true });
    dialog.showModal();
  });
}
