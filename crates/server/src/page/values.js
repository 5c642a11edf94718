// The values of the moves: a table that deepens, the chances, and what is expected
// after the move that is pointed at.

import { post } from "/api.js";
import { shown } from "/board.js";
import { el, percent, replace, whole } from "/dom.js";

const MOST_ROWS = 12;
// A pointer on its way elsewhere asks for no picture.
const POINTED = 120;

// `make(move)` is called for a move that was chosen in the table.
export function values(make) {
  const nodes = {
    table: el("div", { class: "values" }), ahead: el("p", { class: "ahead" }), preview: el("div", { class: "preview" }),
    chance: el("div", { class: "chance", "aria-hidden": true }),
  };
  let now = null;
  let standing = null;

  // Nothing is drawn anew under a finger: a click whose target went away is lost.
  let pressed = false;
  let late = null;
  nodes.table.addEventListener("pointerdown", () => { pressed = true; });
  const released = () => {
    pressed = false;
    const draw = late;
    late = null;
    if (draw) setTimeout(draw);
  };
  addEventListener("pointerup", released);
  addEventListener("pointercancel", released);

  // Shows what is known; `next` is where: { view, line, game, flipped, waiting }.
  function draw(next, told) {
    if (pressed) { late = () => draw(next, told); return; }
    [now, standing] = [next, told];
    if (!standing?.moves.length) {
      rows.clear();
      replace(body);
      replace(nodes.chance);
      replace(nodes.table, now.waiting ? el("p", { class: "quiet" }, "…") : null);
      return point(null);
    }
    const { sides, to_move: mover } = now.view;
    const best = standing.moves[0];
    const first = mover === "first" ? best.win : 1 - best.win;
    nodes.chance.classList.toggle("light-first", sides[0] === "white");
    replace(nodes.chance, bar(first), el("span", { class: "left" }, `${sides[0]} ${percent(first)}`), el("span", { class: "right" }, `${sides[1]} ${percent(1 - first)}`));
    const depth = standing.exact ? "solved: perfect play" : `${standing.depth} ${standing.depth === 1 ? "ply" : "plies"} deep`;
    const head = el("p", { class: "quiet", id: "depth", "data-depth": standing.depth, "data-exact": `${standing.exact}` }, `${depth}, ${whole(standing.nodes)} positions`);
    if (nodes.table.contains(body)) nodes.table.firstElementChild.replaceWith(head);
    else replace(nodes.table, head, el("table", { class: "ranking" }, el("caption", { class: "hidden" }, "Moves and their values for the side to move"), body));
    drawRows(standing.moves.slice(0, MOST_ROWS));
    if (pointed) point(standing.moves.find((m) => m.move === pointed) ?? null);
  }

  // A move keeps its row as long as it is among the best, and its row the focus.
  const body = el("tbody", {});
  const rows = new Map();
  function drawRows(moves) {
    const focused = document.activeElement;
    const wanted = new Set(moves.map((m) => m.move));
    for (const [move, row] of rows) if (!wanted.has(move)) { row.node.remove(); rows.delete(move); }
    moves.forEach((m, i) => {
      const row = rows.get(m.move) ?? fresh(m.move);
      row.value = m;
      if (row.verdict.textContent !== m.verdict) row.verdict.textContent = m.verdict;
      row.bar.style.width = `${100 * m.win}%`;
      if (body.children[i] !== row.node) body.insertBefore(row.node, body.children[i] ?? null);
    });
    if (focused !== document.activeElement && body.contains(focused)) focused.focus();
  }

  function fresh(move) {
    const row = { verdict: el("td", { class: "verdict" }), bar: bar(0), value: null };
    row.node = el("tr", {
      "data-move": move, onpointerenter: () => point(row.value), onpointerleave: () => point(null), onfocusin: () => point(row.value), onclick: () => make(move),
    }, el("th", { scope: "row" }, el("button", { type: "button", class: "plain" }, move)), row.verdict, el("td", { class: "gauge", "aria-hidden": true }, row.bar));
    rows.set(move, row);
    return row;
  }

  function bar(share) {
    const bar = el("span", { class: "bar" });
    bar.style.width = `${100 * share}%`;
    return bar;
  }

  let pointed = null;
  let pictured = "";
  let waiting;
  // The play that is expected after a move, and soon the board it leads to.
  function point(value) {
    pointed = value?.move ?? null;
    const key = value ? JSON.stringify([now.line, value.line]) : "";
    if (!value) { replace(nodes.ahead); replace(nodes.preview); }
    else replace(nodes.ahead, el("strong", {}, value.move), ` ${value.verdict}: `, value.line.join(" "));
    if (key === pictured) return;
    pictured = key;
    clearTimeout(waiting);
    if (value && now.view.picture) waiting = setTimeout(() => picture(now, value, key), POINTED);
  }

  async function picture({ game, flipped, line }, value, key) {
    try {
      const end = await post(`/games/${game}/view`, { from: line.from, moves: [...line.moves, ...value.line], function: "trivial" });
      if (pictured !== key) return;
      const count = value.line.length;
      replace(nodes.preview, shown(end, { game, flipped, small: true, sides: end.sides, label: `after ${value.line.join(" ")}` }),
        el("p", { class: "quiet" }, `after ${count} ${count === 1 ? "move" : "moves"}`));
    } catch { replace(nodes.preview); }
  }

  function leave() {
    clearTimeout(waiting);
    removeEventListener("pointerup", released);
    removeEventListener("pointercancel", released);
  }

  return { nodes, draw, point, leave };
}
