// Play and analyse.

import { get, listen, post } from "/api.js";
import { board, hand } from "/board.js";
import { course } from "/course.js";
import { choice, el, field, refit, replace, say } from "/dom.js";
import { address, line, play as playMove, readAddress, remember, sideName, table, view } from "/game.js";
import { values } from "/values.js";

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
  const state = { view: null, at: null, good: null, standing: null, course: null, chosen: null, held: null, offered: null, pointed: null, busy: 0 };
  const stops = { analysis: () => {}, course: () => {} };
  const nodes = {
    board: el("div", { class: "table" }), status: el("p", { class: "status", id: "status" }),
    other: el("div", { class: "other" }), setup: el("div", { class: "setup" }),
  };
  const ranked = values(make);
  const game = course(go);
  const models = get("/workspace").then((w) => w.models).catch(() => []);

  const controls = el("div", { class: "controls" });
  async function drawControls() {
    const { games, strengths } = await told;
    const mine = (await models).filter((m) => !m.game || m.game === table.game);
    const functions = ["shipped", "hand", "trivial", ...mine.map((m) => [m.path, `${m.path} (${m.what})`])];
    if (!functions.flat().includes(table.function)) functions.push(table.function);
    const sides = state.view?.sides ?? ["first", "second"];
    const seats = [["first", `You are ${sides[0]}`], ["second", `You are ${sides[1]}`], ["both", "You move both"], ["none", "Watch it play itself"]];
    const open = nodes.setup.childElementCount > 0;
    refit(controls,
      field("Game", choice(games.map((g) => g.name), table.game, (name) => {
        Object.assign(table, { game: name, from: null, moves: [], ply: 0, function: "shipped" });
        location.hash = address("play");
      }, { id: "game" })),
      field("Side", choice(seats, wish.mine, (seat) => { wish.mine = seat; wish.flipped = seat === "second"; refresh(); }, { id: "side" })),
      field("Strength", choice(strengths.map((s) => [s, STRENGTHS[s] ?? s]), wish.strength, (s) => { wish.strength = s; }, { id: "strength" })),
      field("Function", choice(functions, table.function, (f) => { table.function = f; refresh(); }, { id: "function" })),
      el("div", { class: "buttons" },
        el("button", { type: "button", id: "new", onclick: () => { Object.assign(table, { from: null, moves: [], ply: 0 }); refresh(); } }, "New game"),
        el("button", { type: "button", id: "back", onclick: takeBack }, "Take back"),
        el("button", { type: "button", id: "swap", onclick: swap }, "Swap sides"),
        el("button", { type: "button", id: "flip", onclick: () => { wish.flipped = !wish.flipped; draw(); } }, "Turn board"),
        el("button", { type: "button", id: "setup", "aria-expanded": `${open}`, onclick: setUp }, "Set up or paste")),
      el("label", { class: "tick" }, el("input", { type: "checkbox", id: "analyse", checked: wish.analyse, onchange: (e) => { wish.analyse = e.target.checked; refresh(); } }), " Live analysis"));
  }

  const isMine = (side) => wish.mine === "both" || wish.mine === side;

  // Asks for the position and begins everything anew that depends on it.
  async function refresh() {
    const turn = ++state.busy;
    stops.analysis();
    let now;
    try {
      now = await view();
    } catch (error) {
      if (turn !== state.busy || !place.isConnected) return;
      // Without any position there is nothing else to be looked at.
      if (!state.view) return replace(nodes.board, el("p", { class: "wrong", role: "alert" }, error.message));
      say(error.message, true);
      Object.assign(table, state.good);
      return remember("play");
    }
    if (turn !== state.busy || !place.isConnected) return;
    const names = state.view?.sides?.join();
    // What was begun stays begun while the position is the same.
    if (JSON.stringify(line()) !== JSON.stringify(state.at)) Object.assign(state, { chosen: null, held: null, offered: null });
    Object.assign(state, { view: now, at: line(), good: { ...table }, standing: null });
    draw();
    game.drawMoves(table.moves, table.ply, state.course);
    remember("play");
    if (names !== now.sides.join()) drawControls();
    if (now.ending) say(`The game is over: ${now.ending}.`);
    const atEnd = table.ply === table.moves.length;
    const machine = !now.ending && atEnd && !isMine(now.to_move);
    if (wish.analyse && !now.ending && !machine) analyse(turn);
    follow(turn);
    if (machine) answer(turn);
  }

  async function answer(turn) {
    try {
      const reply = await post(`/games/${table.game}/reply`, { ...line(), function: table.function, strength: wish.strength });
      if (turn !== state.busy || !place.isConnected || !reply.move) return;
      say(`${sideName(state.view, state.view.to_move)} plays ${reply.move}`);
      playMove(reply.move);
      refresh();
    } catch (error) {
      if (turn !== state.busy || !place.isConnected) return;
      say(error.message, true);
      nodes.other.dataset.as = "";
      replace(nodes.other, el("button", { type: "button", onclick: refresh }, "Ask again"));
    }
  }

  function analyse(turn) {
    if (document.hidden) return;
    const words = { function: table.function, from: table.from, moves: line().moves.join(" ") };
    stops.analysis = listen(`/games/${table.game}/analysis`, words, {
      standing: (standing) => {
        if (turn !== state.busy) return;
        state.standing = standing;
        draw();
      },
    });
  }

  // The value of the whole game as a line, once nothing has changed for a moment.
  let waiting;
  let followed = "";
  function follow() {
    const key = JSON.stringify([table.game, table.function, table.from, table.moves]);
    const draw = () => game.drawLine(state.course, table.ply, state.view.sides);
    if (key === followed) return draw();
    followed = key;
    stops.course();
    clearTimeout(waiting);
    state.course = null;
    draw();
    if (!wish.analyse || !table.moves.length) { followed = ""; return; }
    waiting = setTimeout(() => {
      const words = { function: table.function, from: table.from, moves: table.moves.join(" ") };
      stops.course = listen(`/games/${table.game}/course`, words, {
        course: (told) => { state.course = told; draw(); game.drawMoves(table.moves, table.ply, told); },
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
    while (!state.view) await new Promise((resume) => setTimeout(resume, 50));
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
    state.offered = found.length ? found : null;
    if (found.length) return draw();
    const begins = state.view.moves.some((m) => m.way.from === square);
    state.held = null;
    state.chosen = begins && state.chosen !== square ? square : null;
    draw();
  }

  function make(move) {
    // A second click before the first is answered means the board that is going.
    if (JSON.stringify(line()) !== JSON.stringify(state.at)) return;
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

  // The board stays while the game does; only what changed on it is drawn.
  let drawn = null;
  let drawnAs = "";
  const hands = { above: el("div", {}), below: el("div", {}) };
  function draw() {
    const now = state.view;
    if (!now) return;
    drawBoard(now);
    const atEnd = table.ply === table.moves.length;
    const thinking = !now.ending && atEnd && !isMine(now.to_move);
    announce(now.ending ? `The game is over: ${now.ending}.` : `${sideName(now, now.to_move)} ${thinking ? "is thinking …" : "to move"}`);
    drawOther(now);
    ranked.draw({ view: now, line: state.at, game: table.game, flipped: wish.flipped, waiting: wish.analyse && !now.ending && !thinking }, state.standing);
    if (state.pointed !== null) point(state.pointed);
  }

  // Moves without a square of their own, or those that a click may have meant.
  function drawOther(now) {
    const off = now.moves.filter((m) => (now.picture ? m.way.to === null && m.way.from === null : true));
    const spread = state.chosen !== null ? now.moves.filter((m) => m.way.from === state.chosen && m.way.to === null) : [];
    const texts = (state.offered ?? [...off, ...spread]).map((m) => m.move);
    const as = JSON.stringify([!!state.offered, texts]);
    if (as === nodes.other.dataset.as) return;
    nodes.other.dataset.as = as;
    replace(nodes.other, state.offered && el("span", {}, "Which one? "), texts.map((text) => el("button", { type: "button", class: "move", onclick: () => make(text) }, text)));
    if (state.offered) nodes.other.querySelector("button")?.focus();
  }

  function announce(text) {
    if (nodes.status.textContent !== text) nodes.status.textContent = text;
  }

  function drawBoard(now) {
    if (!now.picture) return replace(nodes.board, el("pre", { class: "diagram" }, now.diagram));
    const label = `${table.game} board, ${now.ending ?? `${sideName(now, now.to_move)} to move`}`;
    const options = { game: table.game, flipped: wish.flipped, marks: marks(), sides: now.sides, label, onsquare: click, onpoint: point };
    const as = JSON.stringify([table.game, wish.flipped, now.picture.names]);
    if (as === drawnAs) drawn.redraw(now.picture, options);
    else replace(nodes.board, hands.above, drawn = board(now.picture, options), hands.below);
    drawnAs = as;
    const [above, below] = wish.flipped ? ["first", "second"] : ["second", "first"];
    drawHand(hands.above, now, above);
    drawHand(hands.below, now, below);
  }

  function drawHand(node, now, side) {
    const may = side === now.to_move && !now.ending;
    const as = JSON.stringify([now.picture.hands, may, may && state.held, side]);
    if (node.dataset.as === as) return;
    node.dataset.as = as;
    const focused = node.contains(document.activeElement) ? document.activeElement.dataset.sign : null;
    const onheld = (sign) => { state.chosen = null; state.held = state.held === sign ? null : sign; draw(); };
    replace(node, hand(now.picture, side, may ? { chosen: state.held, onheld } : {}));
    if (focused) node.querySelector(`button:enabled[data-sign="${focused}"]`)?.focus();
  }

  // The best of the moves that a square may mean, or that begin there.
  function point(square) {
    state.pointed = square;
    if (square === null) return ranked.point(null);
    const begun = state.chosen !== null || state.held;
    const found = meant(square);
    const moves = found.length || begun ? found : state.view.moves.filter((m) => m.way.from === square);
    const known = moves.map((m) => valueOf(m.move)).filter(Boolean);
    ranked.point(known.reduce((a, b) => (a && a.log_odds >= b.log_odds ? a : b), null));
  }

  const { chance, table: ranking, ahead, preview } = ranked.nodes;
  replace(place, el("div", { class: "play" },
    el("section", { class: "left", "aria-label": "Board" }, nodes.status, nodes.board, chance, nodes.other, el("div", { class: "expected" }, preview, ahead), nodes.setup),
    el("section", { class: "right", "aria-label": "Game and analysis" }, controls, ranking, game.nodes.moves, game.nodes.line)));

  const key = (event) => {
    if (event.target.closest?.("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const walks = event.target.closest?.(".board");
    if (event.key === "ArrowLeft" && !walks) go(table.ply - 1);
    else if (event.key === "ArrowRight" && !walks) go(table.ply + 1);
    else if (event.key === "u") takeBack();
  };
  // A page that nobody sees asks for nothing.
  const seen = () => {
    if (document.hidden) stops.analysis();
    else if (state.view) refresh();
  };
  addEventListener("keydown", key);
  document.addEventListener("visibilitychange", seen);
  drawControls().catch((error) => say(error.message, true));
  await refresh();
  return () => {
    state.busy++;
    stops.analysis();
    stops.course();
    clearTimeout(waiting);
    ranked.leave();
    removeEventListener("keydown", key);
    document.removeEventListener("visibilitychange", seen);
  };
}
