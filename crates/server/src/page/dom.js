// Small words for building a page.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function replace(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

// Replaces controls; the one that had the focus has it again.
export function refit(node, ...children) {
  const id = node.contains(document.activeElement) ? document.activeElement.id : "";
  replace(node, ...children);
  if (id) node.querySelector(`#${CSS.escape(id)}`)?.focus();
}

// A drawing of the server's.
export function drawing(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const figure = el("div", { class: "chart" });
  if (parsed.nodeName === "svg") figure.append(document.importNode(parsed, true));
  return figure;
}

let silence;
// Says something to everybody, those who hear the page included.
export function say(text, wrong = false) {
  const line = document.getElementById("said");
  line.textContent = text;
  line.classList.toggle("wrong", wrong);
  clearTimeout(silence);
  silence = setTimeout(() => { line.textContent = ""; }, wrong ? 8000 : 4000);
}

export function field(label, control, hint) {
  return el("label", { class: "field", title: hint }, el("span", {}, label), control);
}

export function choice(options, chosen, onchange, attributes) {
  const select = el("select", { ...attributes, onchange: () => onchange(select.value) });
  for (const option of options) {
    const [value, text] = Array.isArray(option) ? option : [option, option];
    select.append(el("option", { value, selected: value === chosen }, text));
  }
  return select;
}

export const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)} %`;
export const signed = (x, digits = 2) => (x >= 0 ? "+" : "−") + Math.abs(x).toFixed(digits);
export const whole = (n) => Math.round(n).toLocaleString("en").replaceAll(",", "\u202f");
