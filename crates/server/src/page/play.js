// Play and analyse.

import { get, listen, post } from "/api.js";
import { hand, shown } from "/board.js";
import { choice, el, field, percent, replace, say, svg, whole } from "/dom.js";
import { address, line, play as playMove, readAddress, remember, sideName, table, view } from "/game.js";

const STRENGTHS = {
  beginner: "Beginner: looks at its own move",
  casual: "Casual: sees your answer",
  club: "Club player: four moves ahead",
  strong: "Strong: up to eight ahead",
  strongest: "Strongest: three seconds a move",
};

// What stays as a person set it while views change.
const wish = { mine: "first", strength: "club", analyse: true, flipped: false };

export async function show(place, parts, query, told) {
  readAddress(parts, query);
  const state = { view: null, standing: null, course: null, chosen: null, held: null, busy: 0, gone: false };
  const stops = { analysis: () => {}, course: () => {} };
  const nodes = {
    board: el("div", { class: "table" }), status: el("p", { class: "status", id: "status" }),
    other: el("div", { class: "other" }), moves: el("ol", { class: "moves", "aria-label": "Moves played" }),
    values: el("div", { class: "values" }), ahead: el("p", { class: "ahead" }), course: el("div", { class: "course" }),
    preview: el("div", { class: "preview" }), setup: el("div", { class: "setup" }), chance: el("div", { class: "chance", "aria-hidden": true }),
  };
  const models = get("/workspace").then((w) => w.models).catch(() => []);

  const controls = el("div", { class: "controls" });
  async function drawControls() {
    const mine = (await models).filter((m) => !m.game || m.game === table.game);
    const functions = ["shipped", "hand", "trivial", ...mine.map((m) => [m.path, `${m.path} (${m.what})`])];
    if (!functions.flat().includes(table.function)) functions.push(table.function);
    const sides = state.view?.sides ?? ["first", "second"];
    const seats = [["first", `You are ${sides[0]}`], ["second", `You are ${sides[1]}`], ["both", "You move both"], ["none", "Watch it play itself"]];
    replace(controls,
      field("Game", choice(told.games.map((g) => g.name), table.game, (name) => {
        Object.assign(table, { game: name, from: null, moves: [], ply: 0, function: "shipped" });
        location.hash = address("play");
      }, { id: "game" })),
      field("Side", choice(seats, wish.mine, (seat) => { wish.mine = seat; wish.flipped = seat === "second"; refresh(); }, { id: "side" })),
      field("Strength", choice(told.strengths.map((s) => [s, STRENGTHS[s] ?? s]), wish.strength, (s) => { wish.strength = s; }, { id: "strength" })),
      field("Function", choice(functions, table.function, (f) => { table.function = f; refresh(); }, { id: "function" })),
      el("div", { class: "buttons" },
        el("button", { type: "button", id: "new", onclick: () => { Object.assign(table, { from: null, moves: [], ply: 0 }); refresh(); } }, "New game"),
        el("button", { type: "button", id: "back", onclick: takeBack }, "Take back"),
        el("button", { type: "button", id: "swap", onclick: swap }, "Swap sides"),
        el("button", { type: "button", id: "flip", onclick: () => { wish.flipped = !wish.flipped; draw(); } }, "Turn board"),
        el("button", { type: "button", id: "setup", "aria-expanded": "false", onclick: setUp }, "Set up or paste")),
      el("label", { class: "tick" }, el("input", { type: "checkbox", id: "analyse", checked: wish.analyse, onchange: (e) => { wish.analyse = e.target.checked; refresh(); } }), " Live analysis"));
  }

  // Nothing is drawn anew under a finger: a click whose target went away is lost.
  let pressed = false;
  for (const node of [nodes.board, nodes.values]) node.addEventListener("pointerdown", () => { pressed = true; });
  const released = () => {
    if (!pressed) return;
    pressed = false;
    setTimeout(() => { if (!state.gone) draw(); });
  };
  addEventListener("pointerup", released);
  addEventListener("pointercancel", released);

  const isMine = (side) => wish.mine === "both" || wish.mine === side;

  // Asks for the position and begins everything anew that depends on it.
  async function refresh() {
    const turn = ++state.busy;
    stops.analysis();
    let now;
    try {
      now = await view();
    } catch (error) {
      say(error.message, true);
      return;
    }
    if (turn !== state.busy || state.gone) return;
    const names = state.view?.sides?.join();
    Object.assign(state, { view: now, at: JSON.stringify(line()), standing: null, chosen: null, held: null });
    remember("play");
    if (names !== now.sides.join()) drawControls();
    draw();
    drawMoves();
    if (now.ending) say(`The game is over: ${now.ending}.`);
    const atEnd = table.ply === table.moves.length;
    const machine = !now.ending && atEnd && !isMine(now.to_move);
    if (wish.analyse && !now.ending && !machine) analyse(turn);
    follow(turn);
    if (machine) answer(turn);
  }

  async function answer(turn) {
    replace(nodes.status, `${sideName(state.view, state.view.to_move)} is thinking …`);
    try {
      const reply = await post(`/games/${table.game}/reply`, { ...line(), function: table.function, strength: wish.strength });
      if (turn !== state.busy || state.gone || !reply.move) return;
      say(`${sideName(state.view, state.view.to_move)} plays ${reply.move}`);
      playMove(reply.move);
      refresh();
    } catch (error) {
      say(error.message, true);
    }
  }

  function analyse(turn) {
    const words = { function: table.function, from: table.from, moves: line().moves.join(" ") };
    stops.analysis = listen(`/games/${table.game}/analysis`, words, {
      standing: (standing) => {
        if (turn !== state.busy) return;
        state.standing = standing;
        if (!pressed) draw();
      },
    });
  }

  // The value of the whole game as a line, once nothing has changed for a moment.
  let waiting;
  let followed = "";
  function follow() {
    const key = JSON.stringify([table.game, table.function, table.from, table.moves]);
    if (key === followed) { drawCourse(); return; }
    followed = key;
    stops.course();
    clearTimeout(waiting);
    state.course = null;
    drawCourse();
    if (!wish.analyse || !table.moves.length) return;
    waiting = setTimeout(() => {
      const words = { function: table.function, from: table.from, moves: table.moves.join(" ") };
      stops.course = listen(`/games/${table.game}/course`, words, {
        course: (course) => { state.course = course; drawCourse(); drawMoves(); },
      });
    }, 500);
  }

  function go(ply) {
    table.ply = Math.max(0, Math.min(table.moves.length, ply));
    refresh();
  }

  function takeBack() {
    let ply = table.ply - 1;
    // Back to where the person was to move.
    const first = state.view.to_move;
    const sideAt = (p) => ((table.ply - p) % 2 === 0 ? first : first === "first" ? "second" : "first");
    while (ply > 0 && !isMine(sideAt(ply)) && wish.mine !== "none") ply--;
    if (ply < 0) return say("There is nothing to take back.");
    table.moves = table.moves.slice(0, Math.max(0, ply));
    go(ply);
  }

  function swap() {
    wish.mine = wish.mine === "first" ? "second" : "first";
    wish.flipped = wish.mine === "second";
    drawControls();
    refresh();
  }

  async function setUp() {
    const button = controls.querySelector("#setup");
    if (nodes.setup.childElementCount) {
      replace(nodes.setup);
      button.setAttribute("aria-expanded", "false");
      return;
    }
    const { editor } = await import("/setup.js");
    button.setAttribute("aria-expanded", "true");
    replace(nodes.setup, editor(state.view, wish.flipped, (from, moves) => {
      replace(nodes.setup);
      button.setAttribute("aria-expanded", "false");
      wish.mine = "both";
      drawControls();
      Object.assign(table, { from, moves, ply: moves.length });
      refresh();
    }));
    nodes.setup.scrollIntoView({ block: "nearest" });
  }

  // The moves that a click on a square may mean.
  function meant(square) {
    const { moves } = state.view;
    if (state.held) return moves.filter((m) => m.way.held === state.held && m.way.to === square);
    if (state.chosen !== null) {
      const own = moves.filter((m) => m.way.from === state.chosen);
      return own.filter((m) => (square === state.chosen ? m.way.to === null : m.way.to === square));
    }
    return moves.filter((m) => m.way.from === null && m.way.held === null && m.way.to === square);
  }

  function click(square) {
    const found = meant(square);
    if (found.length === 1) return make(found[0].move);
    if (found.length > 1) return offer(found);
    const begins = state.view.moves.some((m) => m.way.from === square);
    state.held = null;
    state.chosen = begins && state.chosen !== square ? square : null;
    draw();
  }

  function offer(moves) {
    replace(nodes.other, el("span", {}, "Which one? "), moves.map((m) => el("button", { type: "button", onclick: () => make(m.move) }, m.move)));
    nodes.other.querySelector("button")?.focus();
  }

  function make(move) {
    if (!isMine(state.view.to_move) && table.ply === table.moves.length) return say("It is not your turn.");
    playMove(move);
    refresh();
  }

  const valueOf = (move) => state.standing?.moves.find((m) => m.move === move);

  function marks() {
    const all = new Map();
    const mark = (square, what) => all.set(square, { ...all.get(square), ...what });
    const last = state.view.last;
    for (const square of [last?.from, last?.to]) if (square !== null && square !== undefined) mark(square, { last: true });
    const best = state.standing?.moves[0];
    const tell = (square, moves) => {
      const values = moves.map((m) => valueOf(m.move)).filter(Boolean);
      const top = values.reduce((a, b) => (a && a.log_odds >= b.log_odds ? a : b), null);
      if (!top) return;
      const text = top.margin !== null && top.exact ? (top.margin > 0 ? `+${top.margin}` : `−${-top.margin}`) : `${Math.round(100 * top.win)}`;
      const loss = best.win - top.win;
      const tone = top.log_odds === best.log_odds ? "best" : loss > 0.2 ? "bad" : loss > 0.1 ? "poor" : "fair";
      mark(square, { text, tone, say: top.verdict });
    };
    const { moves } = state.view;
    const direct = moves.filter((m) => m.way.from === null && m.way.held === null && m.way.to !== null);
    for (const m of direct) { mark(m.way.to, { legal: true }); tell(m.way.to, [m]); }
    const targets = state.held ? moves.filter((m) => m.way.held === state.held)
      : state.chosen !== null ? moves.filter((m) => m.way.from === state.chosen) : null;
    if (targets) {
      if (state.chosen !== null) mark(state.chosen, { chosen: true, glow: true });
      for (const m of targets) {
        const to = m.way.to ?? state.chosen;
        mark(to, { legal: true });
        tell(to, targets.filter((other) => (other.way.to ?? state.chosen) === to));
      }
    } else {
      for (const from of new Set(moves.map((m) => m.way.from).filter((s) => s !== null))) {
        tell(from, moves.filter((m) => m.way.from === from));
      }
    }
    return all;
  }

  function draw() {
    const now = state.view;
    if (!now) return;
    const focused = nodes.board.contains(document.activeElement) ? document.activeElement.dataset?.square : null;
    const label = `${table.game} board, ${now.ending ?? `${sideName(now, now.to_move)} to move`}`;
    const drawn = shown(now, { game: table.game, flipped: wish.flipped, marks: marks(), sides: now.sides, label, onsquare: click, onpoint: point });
    const hands = now.picture ? ["second", "first"].map((side) => hand(now.picture, side, side === now.to_move && !now.ending
      ? { chosen: state.held, onheld: (sign) => { state.chosen = null; state.held = state.held === sign ? null : sign; draw(); } } : {})) : [];
    if (wish.flipped) hands.reverse();
    replace(nodes.board, hands[0], drawn, hands[1]);
    if (focused) nodes.board.querySelector(`[data-square="${focused}"]`)?.focus();
    const thinking = !now.ending && table.ply === table.moves.length && !isMine(now.to_move);
    if (!thinking) replace(nodes.status, now.ending ? `The game is over: ${now.ending}.` : `${sideName(now, now.to_move)} to move`);
    const off = now.moves.filter((m) => now.picture ? m.way.to === null && m.way.from === null : true);
    const spread = state.chosen !== null ? now.moves.filter((m) => m.way.from === state.chosen && m.way.to === null) : [];
    replace(nodes.other, [...off, ...spread].map((m) => el("button", { type: "button", class: "move", onclick: () => make(m.move) }, m.move)));
    drawValues();
  }

  function drawValues() {
    const { standing, view: now } = state;
    if (!standing?.moves.length) {
      replace(nodes.chance);
      return replace(nodes.values, wish.analyse && !now.ending ? el("p", { class: "quiet" }, "…") : null);
    }
    const best = standing.moves[0];
    const first = now.to_move === "first" ? best.win : 1 - best.win;
    const bar = el("span", { class: "bar" });
    bar.style.width = `${100 * first}%`;
    nodes.chance.classList.toggle("light-first", now.sides[0] === "white");
    replace(nodes.chance, bar, el("span", { class: "left" }, `${now.sides[0]} ${percent(first)}`), el("span", { class: "right" }, `${now.sides[1]} ${percent(1 - first)}`));
    const rows = standing.moves.slice(0, 12).map((m) => {
      const width = el("span", { class: "bar" });
      width.style.width = `${100 * m.win}%`;
      return el("tr", {
        tabindex: 0, "data-move": m.move, onpointerenter: () => ahead(m), onfocus: () => ahead(m), onpointerleave: () => ahead(null),
        onclick: () => make(m.move), onkeydown: (e) => { if (e.key === "Enter") make(m.move); },
      }, el("th", { scope: "row" }, m.move), el("td", { class: "verdict" }, m.verdict), el("td", { class: "gauge", "aria-hidden": true }, width));
    });
    const depth = standing.exact ? "solved: perfect play" : `${standing.depth} ${standing.depth === 1 ? "ply" : "plies"} deep`;
    replace(nodes.values, el("p", { class: "quiet", id: "depth", "data-depth": standing.depth }, `${depth}, ${whole(standing.nodes)} positions`),
      el("table", { class: "ranking" }, el("caption", { class: "hidden" }, "Moves and their values for the side to move"), el("tbody", {}, rows)));
  }

  function point(square) {
    if (square === null) return ahead(null);
    const found = state.chosen === null && !state.held ? meant(square) : [];
    const best = found.map((m) => valueOf(m.move)).find(Boolean);
    ahead(best ?? null);
  }

  // The play that is expected after a move, and the board it leads to.
  let shownAhead = null;
  async function ahead(value) {
    shownAhead = value?.move ?? null;
    if (!value) { replace(nodes.ahead); replace(nodes.preview); return; }
    replace(nodes.ahead, el("strong", {}, value.move), ` ${value.verdict}: `, value.line.join(" "));
    // A move may have been made that the board does not show yet.
    if (!state.view.picture || state.at !== JSON.stringify(line())) return;
    try {
      const { from, moves } = line();
      const end = await post(`/games/${table.game}/view`, { from, moves: [...moves, ...value.line], function: "trivial" });
      if (shownAhead !== value.move) return;
      replace(nodes.preview, shown(end, { game: table.game, flipped: wish.flipped, small: true, label: `after ${value.line.join(" ")}` }),
        el("p", { class: "quiet" }, `after ${value.line.length} moves`));
    } catch { replace(nodes.preview); }
  }

  function drawMoves() {
    const judged = state.course?.moves ?? [];
    const mark = (i) => (judged[i]?.move === table.moves[i] || !judged[i] ? judged[i] : null);
    replace(nodes.moves, table.moves.map((move, i) => {
      const fault = mark(i);
      const sign = fault?.mark === "blunder" ? "??" : fault?.mark === "mistake" ? "?" : "";
      const why = fault?.mark ? `${fault.mark}: lost ${percent(fault.loss)}; better was ${fault.best}` : undefined;
      return el("li", {}, el("button", {
        type: "button", class: fault?.mark ?? "", title: why, "aria-label": why ? `${move}, ${why}` : undefined,
        "aria-current": table.ply === i + 1 ? "step" : undefined, onclick: () => go(i + 1),
      }, move + sign));
    }));
    nodes.moves.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function drawCourse() {
    const course = state.course;
    if (!course || course.win.length < 2) return replace(nodes.course);
    const [width, height, last] = [600, 120, course.win.length - 1];
    const x = (ply) => (width * ply) / last;
    const y = (win) => height * (1 - win);
    const path = course.win.map((win, ply) => `${ply ? "L" : "M"}${x(ply).toFixed(1)} ${y(win).toFixed(1)}`).join("");
    const sides = state.view.sides;
    const chart = svg("svg", { viewBox: `-6 -6 ${width + 12} ${height + 12}`, class: "line", role: "img", "aria-label": `Win probability of ${sides[0]} over the moves; use the list of moves to go there` },
      svg("rect", { class: "ground", width, height }),
      svg("path", { class: "area", d: `${path}L${width} ${height}L0 ${height}Z` }),
      svg("line", { class: "even", x1: 0, x2: width, y1: height / 2, y2: height / 2 }),
      svg("path", { class: "win", d: path }),
      course.moves.map((m, i) => m.mark && svg("circle", { class: m.mark, cx: x(i + 1), cy: y(course.win[i + 1]), r: 5 }, svg("title", {}, `${m.move}: ${m.mark}, lost ${percent(m.loss)}; better was ${m.best}`))),
      svg("line", { class: "here", x1: x(table.ply), x2: x(table.ply), y1: 0, y2: height }));
    chart.addEventListener("click", (event) => {
      const box = chart.getBoundingClientRect();
      go(Math.round((((event.clientX - box.left) / box.width) * (width + 12) - 6) / (width / last)));
    });
    replace(nodes.course, chart, el("p", { class: "quiet" }, `${sides[0]}’s chances, looking ${course.depth} ${course.depth === 1 ? "ply" : "plies"} ahead; click to go there`));
  }

  replace(place, el("div", { class: "play" },
    el("section", { class: "left", "aria-label": "Board" }, nodes.status, nodes.board, nodes.chance, nodes.other, nodes.setup),
    el("section", { class: "right", "aria-label": "Game and analysis" }, controls, nodes.values, nodes.ahead, nodes.preview, nodes.moves, nodes.course)));

  const key = (event) => {
    if (event.target.closest?.("input, select, textarea, .board") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowLeft") go(table.ply - 1);
    else if (event.key === "ArrowRight") go(table.ply + 1);
    else if (event.key === "u") takeBack();
  };
  addEventListener("keydown", key);
  drawControls();
  await refresh();
  return () => {
    state.gone = true;
    state.busy++;
    stops.analysis();
    stops.course();
    clearTimeout(waiting);
    removeEventListener("keydown", key);
    removeEventListener("pointerup", released);
    removeEventListener("pointercancel", released);
  };
}
