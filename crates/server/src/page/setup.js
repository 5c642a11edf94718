// Setting up a position by clicks, or pasting one, or a whole game.

import { post } from "/api.js";
import { board } from "/board.js";
import { choice, el, field, replace, say } from "/dom.js";
import { table } from "/game.js";

// What may be held in hand, of games that have hands.
const HELD = { shogi: ["P", "L", "N", "S", "G", "B", "R"] };

// An editor that begins with a position and ends with `use(from, moves)`.
export function editor(view, flipped, use) {
  const picture = view.picture ? structuredClone(view.picture) : null;
  let brush = picture ? { side: "first", sign: picture.signs[0] } : null;
  let toMove = view.to_move;
  const drawn = picture && board(picture, { game: table.game, flipped, sides: view.sides, label: "board being set up", onsquare: (square) => put(square) });
  const place = el("div", { class: "table" }, drawn);
  const palette = el("div", { class: "palette", role: "group", "aria-label": "What a click puts on a square" });

  function draw() {
    drawn.redraw(picture, { sides: view.sides, label: "board being set up" });
    const same = (a, b) => a === b || (a && b && a.side === b.side && a.sign === b.sign);
    const button = (what, text) => el("button", { type: "button", "aria-pressed": same(brush, what) ? "true" : "false", onclick: () => { brush = what; draw(); } }, text);
    const of = (side, name) => picture.signs.map((sign) => button({ side, sign }, `${name} ${sign}`.trim()));
    const focused = palette.contains(document.activeElement);
    replace(palette, of("first", view.sides[0]), of("second", view.sides[1]), button(null, "nothing"));
    if (focused) palette.querySelector("[aria-pressed=true]")?.focus();
  }

  // How many of each piece a side holds.
  function hands() {
    return ["first", "second"].map((side, i) => el("div", { class: "hands", role: "group", "aria-label": `In ${view.sides[i]}’s hand` }, el("span", {}, `In ${view.sides[i]}’s hand`),
      HELD[table.game].map((sign) => {
        const input = el("input", { type: "number", min: 0, max: 18, "data-held": `${side} ${sign}`, oninput: () => {
          const count = Math.max(0, Math.floor(Number(input.value)) || 0);
          picture.hands[i] = [...picture.hands[i].filter(([held]) => held !== sign), ...(count ? [[sign, count]] : [])];
        } });
        input.value = picture.hands[i].find(([held]) => held === sign)?.[1] ?? 0;
        return el("label", {}, sign, input);
      })));
  }
  const held = el("div", {});

  function put(square) {
    const there = picture.pieces[square];
    const same = brush && there && there.side === brush.side && there.sign === brush.sign;
    picture.pieces[square] = same ? null : brush && { ...brush };
    draw();
  }

  async function done() {
    try {
      const { position } = await post(`/games/${table.game}/set-up`, { picture, to_move: toMove });
      use(position, []);
    } catch (error) { say(error.message, true); }
  }

  const text = el("textarea", { id: "paste", rows: 3, placeholder: "A position, or the moves of a game", "aria-label": "A position, or the moves of a game" });
  text.value = view.position;
  async function paste() {
    try {
      const { from = null, moves } = await post(`/games/${table.game}/read`, { text: text.value });
      use(from, moves);
    } catch (error) { say(error.message, true); }
  }

  const sides = [["first", `${view.sides[0]} to move`], ["second", `${view.sides[1]} to move`]];
  const drawHands = () => replace(held, HELD[table.game] ? hands() : []);
  if (picture) { draw(); drawHands(); }
  return el("div", { class: "editor" },
    picture && [el("h2", {}, "Set up"), palette, place, held,
      el("div", { class: "buttons" },
        field("Turn", choice(sides, toMove, (side) => { toMove = side; }, { id: "turn" })),
        el("button", { type: "button", id: "clear", onclick: () => { picture.pieces.fill(null); picture.hands = [[], []]; draw(); drawHands(); } }, "Clear"),
        el("button", { type: "button", id: "use", class: "main", onclick: done }, "Use this position"))],
    el("h2", {}, "Paste"), text,
    el("div", { class: "buttons" }, el("button", { type: "button", id: "take", class: "main", onclick: paste }, "Take this")));
}
