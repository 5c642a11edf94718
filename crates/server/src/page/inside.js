// Look inside: why the function says so.

import { get, post } from "/api.js";
import { shown } from "/board.js";
import { choice, el, field, percent, replace, say, signed } from "/dom.js";
import { address, line, readAddress, remember, sideName, table, view } from "/game.js";

const KINDS = {
  linear: "Each feature times its weight; the sum is the value.",
  quadratic: "Gaussian log-odds: features, and products of two, about their mean.",
  tree: "The path of this position through the tree; each question moves the value.",
  patterns: "The configuration that each pattern meets here has a weight of its own.",
  tabled: "Tables made of patterns, then weighed like features.",
  signature: "Tables of features, level by level; the last one gives the value.",
  griffith: "This function judges moves, not positions.",
  trivial: "This function knows finished games only.",
};
const MOST_TERMS = 40;

export async function show(place, parts, query, told) {
  readAddress(parts, query);
  let move = query.get("move");
  let now = await view();
  const models = (await get("/workspace").catch(() => ({ models: [] }))).models.filter((m) => !m.game || m.game === table.game);
  const nodes = { board: el("div", { class: "table" }), terms: el("div", { class: "terms" }), head: el("div", { class: "controls" }), legend: el("p", { class: "quiet legend" }) };
  let account;
  let pointed = [];

  async function refresh() {
    try {
      now = await view();
      account = now.ending ? null : await post(`/games/${table.game}/account`, { ...line(), function: table.function, move: move ?? undefined });
    } catch (error) {
      move = null;
      return say(error.message, true);
    }
    remember("inside");
    drawHead();
    draw();
  }

  function drawHead() {
    const functions = ["shipped", "hand", "trivial", ...models.map((m) => [m.path, `${m.path} (${m.what})`])];
    if (!functions.flat().includes(table.function)) functions.push(table.function);
    replace(nodes.head,
      field("Function", choice(functions, table.function, (f) => { table.function = f; refresh(); }, { id: "function" })),
      field("Difference of", choice([["", "no move"], ...now.moves.map((m) => m.move)], move ?? "", (m) => { move = m || null; refresh(); }, { id: "difference" })),
      el("div", { class: "buttons" },
        el("button", { type: "button", onclick: () => { table.ply = Math.max(0, table.ply - 1); move = null; refresh(); } }, "← Move"),
        el("button", { type: "button", onclick: () => { table.ply = Math.min(table.moves.length, table.ply + 1); move = null; refresh(); } }, "Move →"),
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
      marks.set(square, { heat: (0.85 * turn * said) / most, text: signed(said, said && Math.abs(said) < 0.1 ? 2 : 1), tone: "plain", say: `speaks ${signed(said)}` });
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
    replace(nodes.board, shown({ ...now, picture }, {
      game: table.game, marks, sides: now.sides, label,
      onsquare: (square) => {
        const found = now.moves.filter((m) => m.way.to === square);
        move = found.length && move !== found[0].move ? found[0].move : null;
        refresh();
      },
    }));
  }

  function drawTerms(mover) {
    const { after } = account;
    const later = new Map((after?.terms ?? []).map((t) => [t.name, t.contribution]));
    let rows = account.terms.map((t) => ({ ...t, after: later.get(t.name) }));
    const known = new Set(account.terms.map((t) => t.name));
    if (after) rows.push(...after.terms.filter((t) => !known.has(t.name)).map((t) => ({ ...t, contribution: undefined, after: t.contribution })));
    const ordered = now.kind === "tree" ? rows : [...rows].sort((a, b) => weight(b) - weight(a));
    const most = Math.max(1e-9, ...rows.map(weight));
    const shownRows = ordered.slice(0, MOST_TERMS);
    replace(nodes.terms,
      el("p", { class: "total", id: "total", "data-total": account.total }, el("strong", {}, `${mover} wins ${percent(account.win, 1)}`), ` (log-odds ${signed(account.total, 3)})`,
        after && el("span", {}, ` → after ${after.move} ${signed(after.total, 3)}, `, el("strong", {}, signed(after.total - account.total, 3)))),
      el("p", { class: "quiet" }, `${now.kind}: ${KINDS[now.kind] ?? ""}`),
      el("table", { class: "accounts" }, el("caption", { class: "hidden" }, "Terms of the value"),
        el("thead", {}, el("tr", {}, ["term", "value", "weight", "adds", after && "after", after && "change", ""].filter((h) => h !== null && h !== undefined).map((h) => el("th", { scope: "col" }, h)))),
        el("tbody", {}, shownRows.map((t) => row(t, most, after)))),
      ordered.length > MOST_TERMS && el("p", { class: "quiet" }, `and ${ordered.length - MOST_TERMS} smaller ones`),
      account.unused.length > 0 && el("p", {}, el("strong", {}, "Never needed here: "), account.unused.join(", ")));
  }

  function point(squares) {
    pointed = squares;
    drawBoard();
  }

  const weight = (t) => Math.max(Math.abs(t.contribution ?? 0), Math.abs(t.after ?? 0));

  function row(t, most, after) {
    const number = (x, digits = 3) => (x === null || x === undefined ? "" : signed(x, digits));
    const bar = el("span", { class: `bar ${(t.contribution ?? t.after) >= 0 ? "for" : "against"}` });
    bar.style.width = `${(50 * weight(t)) / most}%`;
    return el("tr", {
      tabindex: t.squares ? 0 : undefined,
      onpointerenter: t.squares && (() => point(t.squares)), onfocus: t.squares && (() => point(t.squares)), onpointerleave: t.squares && (() => point([])),
    }, el("th", { scope: "row" }, t.name), el("td", {}, t.feature === null ? "" : Number(t.feature.toFixed(3))), el("td", {}, number(t.weight)), el("td", {}, number(t.contribution)),
      after && el("td", {}, number(t.after)), after && el("td", {}, t.after === undefined || t.contribution === undefined ? "" : number(t.after - t.contribution)),
      el("td", { class: "gauge", "aria-hidden": true }, bar));
  }

  replace(place, el("div", { class: "play inside" },
    el("section", { class: "left", "aria-label": "Board" }, el("p", { class: "status" }, `${table.game}: which pieces speak for whom`), nodes.board, nodes.legend),
    el("section", { class: "right", "aria-label": "Terms" }, nodes.head, nodes.terms)));
  await refresh();
  return () => {};
}
