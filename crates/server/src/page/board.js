// Boards from pictures: any game that tells its squares is drawn and clicked here.

import { el, replace, svg } from "/dom.js";

const UNIT = 100;

// Chess in silhouettes, on a square of 100.
const CHESS = {
  P: "M50 22a13 13 0 0 1 8 23c8 5 10 12 8 17h-8c1 8 5 13 14 17v7H28v-7c9-4 13-9 14-17h-8c-2-5 0-12 8-17a13 13 0 0 1 8-23z",
  R: "M27 20h10v8h8v-8h10v8h8v-8h10v20l-8 7 2 24 9 8v7H24v-7l9-8 2-24-8-7z",
  N: "M30 86c0-20 16-24 15-38-8 4-11 10-17 9-7-1-9-9-5-14 6-7 8-17 20-22l2-9 8 8c17 3 25 17 24 34-1 14-6 19-5 32z",
  B: "M50 12a6 6 0 0 1 4 11c11 8 17 17 15 28-1 6-5 10-9 12l2 10 12 6v7H26v-7l12-6 2-10c-4-2-8-6-9-12-2-11 4-20 15-28a6 6 0 0 1 4-11zM48 33v7h-7v5h7v9h5v-9h7v-5h-7v-7z",
  Q: "M14 28a5 5 0 1 1 6 5l12 22 2-28a5 5 0 1 1 6 0l10 25 10-25a5 5 0 1 1 6 0l2 28 12-22a5 5 0 1 1 6 5L74 70l2 9v7H24v-7l2-9z",
  K: "M47 10h6v7h7v6h-7v8c16-4 31 2 31 17 0 10-8 16-10 22l2 9v7H24v-7l2-9c-2-6-10-12-10-22 0-15 15-21 31-17v-8h-7v-6h7z",
};

function piece(game, { side, sign }, x, y, flipped) {
  const mid = [x + UNIT / 2, y + UNIT / 2];
  const whose = `piece ${side}`;
  if (game === "chess" && CHESS[sign]) {
    return svg("path", { class: `${whose} silhouette`, d: CHESS[sign], transform: `translate(${x} ${y})`, "fill-rule": "evenodd" });
  }
  if (game === "shogi") {
    const turned = (side === "second") !== flipped ? 180 : 0;
    return svg("g", { class: whose, transform: `translate(${mid[0]} ${mid[1]}) rotate(${turned})` },
      svg("path", { class: "tile", d: "M0 -40 L24 -28 L33 38 L-33 38 L-24 -28 Z" }),
      svg("text", { class: sign.startsWith("+") ? "sign promoted" : "sign", y: 16 }, sign));
  }
  if (sign) {
    return svg("g", { class: whose },
      svg("rect", { class: "tile", x: x + 14, y: y + 14, width: 72, height: 72, rx: 14 }),
      svg("text", { class: "sign", x: mid[0], y: mid[1] + 13 }, sign));
  }
  return svg("circle", { class: `${whose} disc`, cx: mid[0], cy: mid[1], r: 41 });
}

/* Draws a picture. Options:
 *   game, flipped, small, label, sides
 *   marks:  Map square -> { legal, text, tone, heat, glow, last, chosen, say }
 *   onsquare(square), onpoint(square or null): clicks and pointers
 * The drawing has a method `redraw(picture, options)` for another position or other
 * marks: squares that stay as they are keep their nodes, so that a click, the focus and
 * who listens to the page are not disturbed while an analysis deepens.
 */
export function board(picture, options = {}) {
  const { columns, rows, surface, names } = picture;
  const { game, flipped = false, small = false, onsquare, onpoint } = options;
  const margin = small ? 4 : 30;
  const [width, height] = [columns * UNIT, rows * UNIT];
  const at = (square) => {
    const [column, row] = [square % columns, Math.floor(square / columns)];
    return flipped ? [(columns - 1 - column) * UNIT, (rows - 1 - row) * UNIT] : [column * UNIT, row * UNIT];
  };
  const root = svg("svg", {
    class: `board ${game} ${surface}${onsquare ? " live" : ""}`,
    viewBox: `${-margin} ${-margin} ${width + 2 * margin} ${height + 2 * margin}`,
    role: onsquare ? "grid" : "img",
  });
  root.append(svg("rect", { class: "ground", width, height }));
  if (surface === "lines") {
    for (let i = 0; i < columns; i++) root.append(svg("line", { class: "grid", x1: i * UNIT + 50, x2: i * UNIT + 50, y1: 50, y2: height - 50 }));
    for (let i = 0; i < rows; i++) root.append(svg("line", { class: "grid", y1: i * UNIT + 50, y2: i * UNIT + 50, x1: 50, x2: width - 50 }));
  }
  // The field stays under the finger, whatever is drawn on it: a click begins and ends there.
  const cells = names.map((name, square) => {
    const [x, y] = at(square);
    return svg("g", { role: onsquare ? "gridcell" : undefined, tabindex: onsquare ? -1 : undefined, "data-square": name },
      svg("rect", { class: "field", x, y, width: UNIT, height: UNIT }), svg("g", { class: "on" }));
  });
  for (let row = 0; row < rows; row++) {
    root.append(svg("g", { role: onsquare ? "row" : undefined }, cells.slice(row * columns, (row + 1) * columns)));
  }
  if (!small) edges(root, picture, at, width, height);

  // Without a mark, as most squares of most positions are.
  const plain = {};
  const drawn = [];
  root.redraw = (next, { marks = new Map(), sides, label }) => {
    root.setAttribute("aria-label", label ?? "board");
    cells.forEach((cell, square) => {
      const [standing, mark] = [next.pieces[square], marks.get(square) ?? plain];
      const key = JSON.stringify([standing, mark]);
      if (drawn[square] === key) return;
      drawn[square] = key;
      const [x, y] = at(square);
      const dark = surface === "chequered" && (Math.floor(square / columns) + (square % columns)) % 2 === 1;
      const what = standing ? `${sides?.[standing.side === "first" ? 0 : 1] ?? standing.side} ${standing.sign}`.trim() : "empty";
      cell.setAttribute("class", `square${dark ? " dark" : ""}${mark.legal ? " legal" : ""}${mark.chosen ? " chosen" : ""}`);
      cell.setAttribute("aria-label", [names[square], what, mark.legal ? "legal move" : "", mark.chosen ? "chosen" : "", mark.say ?? ""].filter(Boolean).join(", "));
      replace(cell.lastElementChild, inside(game, standing, mark, x, y, flipped));
    });
    if (onsquare && !root.contains(document.activeElement)) stop(cells.find((cell) => cell.classList.contains("legal")) ?? cells[0]);
  };

  // One square at a time can be reached by the Tab key; arrows walk from there.
  let reached = null;
  const stop = (cell) => {
    if (cell === reached) return;
    reached?.setAttribute("tabindex", -1);
    cell?.setAttribute("tabindex", 0);
    reached = cell;
  };
  const squareOf = (event) => cells.indexOf(event.target.closest?.(".square"));
  if (onsquare) {
    root.addEventListener("click", (event) => { const square = squareOf(event); if (square >= 0) onsquare(square); });
    root.addEventListener("focusin", (event) => { const square = squareOf(event); if (square >= 0) stop(cells[square]); });
    root.addEventListener("keydown", (event) => {
      const here = squareOf(event);
      if (here < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      const turn = flipped ? -1 : 1;
      const steps = { ArrowLeft: -turn, ArrowRight: turn, ArrowUp: -turn * columns, ArrowDown: turn * columns };
      if (event.key in steps) {
        const there = here + steps[event.key];
        const wraps = Math.abs(steps[event.key]) === 1 && Math.floor(there / columns) !== Math.floor(here / columns);
        if (cells[there] && !wraps) cells[there].focus();
        event.preventDefault();
      } else if (event.key === "Enter" || event.key === " ") {
        onsquare(here);
        event.preventDefault();
      }
    });
  }
  if (onpoint) {
    let last = null;
    const point = (square) => { if (square !== last) { last = square; onpoint(square); } };
    root.addEventListener("pointerover", (event) => { const square = squareOf(event); point(square < 0 ? null : square); });
    root.addEventListener("pointerleave", () => point(null));
    root.addEventListener("focusin", (event) => point(squareOf(event)));
    root.addEventListener("focusout", () => point(null));
  }
  root.redraw(picture, options);
  return root;
}

// What is drawn on a square, from below.
function inside(game, standing, mark, x, y, flipped) {
  const within = (by) => ({ x: x + by, y: y + by, width: UNIT - 2 * by, height: UNIT - 2 * by });
  return [
    mark.last && svg("rect", { class: "last", ...within(3) }),
    mark.heat !== undefined && svg("rect", { class: `heat ${mark.heat > 0 ? "first" : "second"}`, ...within(0), opacity: Math.min(1, Math.abs(mark.heat)) }),
    standing && piece(game, standing, x, y, flipped),
    mark.glow && svg("rect", { class: "glow", ...within(4), rx: 8 }),
    mark.text !== undefined ? svg("text", { class: `value ${mark.tone ?? ""}${standing ? " over" : ""}`, x: x + 50, y: y + (standing ? 92 : 62) }, mark.text)
      : mark.legal && svg("circle", { class: standing ? "take" : "hint", cx: x + 50, cy: y + 50, r: standing ? 45 : 11 }),
  ];
}

// The names of columns and rows, taken from those of the squares.
function edges(root, { columns, rows, names }, at, width, height) {
  const common = (squares) => {
    const first = names[squares[0]] ?? "";
    return [...first].filter((c) => squares.every((s) => names[s].includes(c))).join("");
  };
  for (let column = 0; column < columns; column++) {
    const squares = Array.from({ length: rows }, (_, row) => row * columns + column);
    const [x] = at(column);
    root.append(svg("text", { class: "edge", x: x + UNIT / 2, y: height + 24 }, common(squares)));
  }
  for (let row = 0; row < rows; row++) {
    const squares = Array.from({ length: columns }, (_, column) => row * columns + column);
    const [, y] = at(row * columns);
    root.append(svg("text", { class: "edge", x: -15, y: y + UNIT / 2 + 8 }, common(squares)));
  }
}

// A board, or the text where a game has none.
export function shown(view, options) {
  return view.picture ? board(view.picture, options) : el("pre", { class: "diagram" }, view.diagram);
}

// Pieces in hand, as buttons where they may be put on the board.
export function hand(picture, side, options = {}) {
  const held = picture.hands?.[side === "first" ? 0 : 1] ?? [];
  if (!held.length) return null;
  return el("div", { class: `hand ${side}` }, held.map(([sign, count]) =>
    el("button", {
      type: "button", class: options.chosen === sign ? "chosen" : "",
      disabled: !options.onheld, "data-sign": sign, "aria-label": `${sign} in hand, ${count}`, onclick: () => options.onheld(sign),
    }, `${sign}${count > 1 ? ` ×${count}` : ""}`)));
}
