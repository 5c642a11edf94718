// The game so far: its moves with their faults, and its value as a line.

import { el, percent, replace, svg } from "/dom.js";

const SIGNS = { blunder: "??", mistake: "?" };

// `go(ply)` is called for a place that was chosen.
export function course(go) {
  const nodes = { moves: el("ol", { class: "moves", "aria-label": "Moves played" }), line: el("div", { class: "course" }) };

  function fault(judged, move) {
    if (!judged?.mark || judged.move !== move) return null;
    return { mark: judged.mark, why: `${judged.mark}: lost ${percent(judged.loss)}; better was ${judged.best}` };
  }

  let late;
  // Moves that stay keep their buttons, and with them the focus.
  function drawMoves(moves, ply, judged) {
    while (nodes.moves.childElementCount > moves.length) nodes.moves.lastElementChild.remove();
    moves.forEach((move, i) => {
      const wrong = fault(judged?.moves[i], move);
      const text = move + (SIGNS[wrong?.mark] ?? "");
      const item = nodes.moves.children[i];
      if (item?.dataset.text !== text) {
        const button = el("button", { type: "button", class: wrong?.mark ?? "", title: wrong?.why, "aria-label": wrong ? `${move}, ${wrong.why}` : undefined, onclick: () => go(i + 1) }, text);
        if (item) { replace(item, button); item.dataset.text = text; } else nodes.moves.append(el("li", { "data-text": text }, button));
      }
      const button = nodes.moves.children[i].firstElementChild;
      if (ply === i + 1) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    // Where a place is asks for the whole layout: after this has been shown.
    clearTimeout(late);
    late = setTimeout(() => reveal(nodes.moves.children[ply - 1]), 50);
  }

  // The list is scrolled, never the page.
  function reveal(item) {
    if (!item) return;
    const top = item.offsetTop - nodes.moves.offsetTop;
    const { scrollTop, clientHeight } = nodes.moves;
    if (top < scrollTop || top + item.offsetHeight > scrollTop + clientHeight) nodes.moves.scrollTop = top - clientHeight / 2;
  }

  function drawLine(told, ply, sides) {
    if (!told || told.win.length < 2) return replace(nodes.line);
    const [width, height, last] = [600, 120, told.win.length - 1];
    const x = (at) => (width * at) / last;
    const y = (win) => height * (1 - win);
    const path = told.win.map((win, at) => `${at ? "L" : "M"}${x(at).toFixed(1)} ${y(win).toFixed(1)}`).join("");
    const chart = svg("svg", { viewBox: `-6 -6 ${width + 12} ${height + 12}`, class: "line", role: "img", "aria-label": `Win probability of ${sides[0]} over the moves; use the list of moves to go there` },
      svg("rect", { class: "ground", width, height }),
      svg("path", { class: "area", d: `${path}L${width} ${height}L0 ${height}Z` }),
      svg("line", { class: "even", x1: 0, x2: width, y1: height / 2, y2: height / 2 }),
      svg("path", { class: "win", d: path }),
      told.moves.map((m, i) => m.mark && svg("circle", { class: m.mark, cx: x(i + 1), cy: y(told.win[i + 1]), r: 5 }, svg("title", {}, `${m.move}: ${fault(m, m.move).why}`))),
      svg("line", { class: "here", x1: x(ply), x2: x(ply), y1: 0, y2: height }));
    chart.addEventListener("click", (event) => {
      const box = chart.getBoundingClientRect();
      go(Math.round((((event.clientX - box.left) / box.width) * (width + 12) - 6) / (width / last)));
    });
    replace(nodes.line, chart, el("p", { class: "quiet" }, `${sides[0]}’s chances, looking ${told.depth} ${told.depth === 1 ? "ply" : "plies"} ahead; click to go there`));
  }

  return { nodes, drawMoves, drawLine };
}
