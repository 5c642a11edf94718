// Look inside: why the function says so.

import { get, post } from "/api.js";
import { board } from "/board.js";
import { choice, el, field, percent, refit, replace, say, signed } from "/dom.js";
import { address, line, readAddress, remember, sideName, table, view } from "/game.js";

const KINDS = {
  linear: "Each feature times its weight; the sum is the value.",
  quadratic: "Gaussian log-odds: features, and products of two, about their mean.",
  tree: "The path of this position through the tree; each question moves the value.",
  patterns: "The configuration that each pattern meets here has a weight of its own; point at one to see its squares.",
  configurations: "The most specific groups of squares that hold here, each with a weight of its own; point at one to see its squares.",
  tabled: "Tables made of patterns, then weighed like features.",
  signature: "Tables of features, level by level; the last one gives the value.",
  griffith: "This function judges moves, not positions.",
  trivial: "This function knows finished games only.",
};
const MOST_TERMS = 40;

export async function show(place, parts, query) {
  readAddress(parts, query);
  let move = query.get("move");
  let now = await view();
  const models = (await get("/workspace").catch(() => ({ models: [] }))).models.filter((m) => !m.game || m.game === table.game);
  const nodes = { board: el("div", { class: "table" }), terms: el("div", { class: "terms" }), head: el("div", { class: "controls" }), legend: el("p", { class: "quiet legend" }) };
  let account;
  let drawn = null;
  let pointed = [];

  let turn = 0;
  async function refresh() {
    const mine = ++turn;
    try {
      const seen = await view();
      const told = seen.ending ? null : await post(`/games/${table.game}/account`, { ...line(), function: table.function, move: move ?? undefined });
      if (mine !== turn || !place.isConnected) return;
      [now, account] = [seen, told];
    } catch (error) {
      if (mine !== turn || !place.isConnected) return;
      move = null;
      return say(error.message, true);
    }
    remember("inside", { move });
    drawHead();
    draw();
  }

  function drawHead() {
    const functions = ["shipped", "hand", "trivial", ...models.map((m) => [m.path, `${m.path} (${m.what})`])];
    if (!functions.flat().includes(table.function)) functions.push(table.function);
    refit(nodes.head,
      field("Function", choice(functions, table.function, (f) => { table.function = f; refresh(); }, { id: "function" })),
      field("Difference of", choice([["", "no move"], ...now.moves.map((m) => m.move)], move ?? "", (m) => { move = m || null; refresh(); }, { id: "difference" })),
      el("div", { class: "buttons" },
        el("button", { type: "button", id: "earlier", onclick: () => { table.ply = Math.max(0, table.ply - 1); move = null; refresh(); } }, "← Move"),
        el("button", { type: "button", id: "later", onclick: () => { table.ply = Math.min(table.moves.length, table.ply + 1); move = null; refresh(); } }, "Move →"),
        el("a", { class: "button", href: address("play") }, "Play from here")));
  }

  function draw() {
    drawBoard();
    if (!account) return replace(nodes.terms, el("p", {}, `The game is over: ${now.ending}. Step back to look inside.`));
    const mover = sideName(now, account.to_move);
    replace(nodes.legend, el("span", { class: "key first" }), ` speaks for ${now.sides[0]}  `, el("span", { class: "key second" }), ` for ${now.sides[1]}: `,
      `half of what the value would change if the piece changed sides, in log-odds of ${mover}`);
    drawTerms(mover);
  }

  function drawBoard() {
    const marks = new Map();
    const squares = account?.after?.squares ?? account?.squares ?? [];
    const most = Math.max(0.05, ...squares.map((x) => Math.abs(x ?? 0)));
    const turn = account?.to_move === "second" ? -1 : 1;
    squares.forEach((said, square) => {
      if (said === null) return;
      marks.set(square, { heat: (0.85 * turn * said) / most, text: Math.abs(said) < 0.005 ? undefined : signed(said, Math.abs(said) < 0.1 ? 2 : 1), tone: "plain", say: `speaks ${signed(said)}` });
    });
    const picture = account?.after?.picture ?? now.picture;
    for (const name of pointed) {
      const square = picture?.names.indexOf(name) ?? -1;
      if (square >= 0) marks.set(square, { ...marks.get(square), glow: true });
    }
    for (const m of now.moves) {
      if (!account?.after && m.way.to !== null && m.way.from === null) marks.set(m.way.to, { ...marks.get(m.way.to), legal: true });
    }
    const label = `${table.game}, ${now.ending ?? `${sideName(now, now.to_move)} to move`}`;
    if (!picture) return replace(nodes.board, el("pre", { class: "diagram" }, now.diagram));
    if (!drawn) replace(nodes.board, drawn = board(picture, { game: table.game, marks, sides: now.sides, label, onsquare: choose }));
    else drawn.redraw(picture, { marks, sides: now.sides, label });
  }

  // A click on the square of a move shows what it changes; another one shows nothing again.
  function choose(square) {
    const found = now.moves.filter((m) => m.way.to === square);
    move = found.length && move !== found[0].move ? found[0].move : null;
    refresh();
  }

  function drawTerms(mover) {
    const { after } = account;
    const later = new Map((after?.terms ?? []).map((t) => [t.name, t.contribution]));
    let rows = account.terms.map((t) => ({ ...t, after: later.get(t.name) }));
    const known = new Set(account.terms.map((t) => t.name));
    if (after) rows.push(...after.terms.filter((t) => !known.has(t.name)).map((t) => ({ ...t, contribution: undefined, after: t.contribution })));
    const ordered = now.kind === "tree" ? rows : [...rows].sort((a, b) => weight(b) - weight(a));
    const most = Math.max(1e-9, ...rows.map(weight));
    // Of many terms, those that add nothing are counted only.
    const speaking = ordered.filter((t) => weight(t) > 0);
    const told = rows.length > MOST_TERMS && speaking.length ? speaking : ordered;
    const shownRows = told.slice(0, MOST_TERMS);
    const smaller = told.length - shownRows.length;
    const silent = ordered.length - told.length;
    replace(nodes.terms,
      el("p", { class: "total", id: "total", "data-total": account.total }, el("strong", {}, `${mover} wins ${percent(account.win, 1)}`), ` (log-odds ${signed(account.total, 3)})`,
        after && el("span", {}, ` → after ${after.move} ${signed(after.total, 3)}, `, el("strong", {}, signed(after.total - account.total, 3)))),
      el("p", { class: "quiet" }, `${now.kind}: ${KINDS[now.kind] ?? ""}`),
      el("table", { class: "accounts" }, el("caption", { class: "hidden" }, "Terms of the value"),
        el("thead", {}, el("tr", {}, ["term", "value", "weight", "adds", after && "after", after && "change", ""].filter((h) => h !== null && h !== undefined).map((h) => el("th", { scope: "col" }, h)))),
        el("tbody", {}, shownRows.map((t) => row(t, most, after)))),
      (smaller > 0 || silent > 0) && el("p", { class: "quiet" }, ["and", smaller > 0 && ` ${smaller} smaller ones`, smaller > 0 && silent > 0 && ",", silent > 0 && ` ${silent} that add nothing`]),
      account.unused.length > 0 && el("p", {}, el("strong", {}, "Never needed here: "), account.unused.join(", ")));
  }

  function point(squares) {
    pointed = squares;
    drawBoard();
  }

  // A pattern tells its squares; a configuration has them in its name: `g8=0 h8=1`.
  const squaresOf = (t) => (t.squares?.length ? t.squares : now.kind === "configurations" ? [...t.name.matchAll(/([^\s=]+)=/g)].map((m) => m[1]) : []);

  const weight = (t) => Math.max(Math.abs(t.contribution ?? 0), Math.abs(t.after ?? 0));

  function row(t, most, after) {
    const number = (x, digits = 3) => (x === null || x === undefined ? "" : signed(x, digits));
    const squares = squaresOf(t);
    const bar = el("span", { class: `bar ${(t.contribution ?? t.after) >= 0 ? "for" : "against"}` });
    bar.style.width = `${(50 * weight(t)) / most}%`;
    return el("tr", {
      tabindex: squares.length ? 0 : undefined,
      onpointerenter: () => point(squares), onfocus: () => point(squares), onpointerleave: () => point([]), onblur: () => point([]),
    }, el("th", { scope: "row" }, t.name), el("td", {}, t.feature === null ? "" : Number(t.feature.toFixed(3))), el("td", {}, number(t.weight)), el("td", {}, number(t.contribution)),
      after && el("td", {}, number(t.after)), after && el("td", {}, t.after === undefined || t.contribution === undefined ? "" : number(t.after - t.contribution)),
      el("td", { class: "gauge", "aria-hidden": true }, bar));
  }

  replace(place, el("div", { class: "play inside" },
    el("section", { class: "left", "aria-label": "Board" }, el("p", { class: "status" }, `${table.game}: which pieces speak for whom`), nodes.board, nodes.legend),
    el("section", { class: "right", "aria-label": "Terms" }, nodes.head, nodes.terms)));
  await refresh();
  return () => { turn++; };
}
