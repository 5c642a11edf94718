// Setting up a position by clicks, or pasting one, or a whole game.

import { post } from "/api.js";
import { board } from "/board.js";
import { choice, el, field, replace, say } from "/dom.js";
import { table } from "/game.js";

// An editor that begins with a position and ends with `use(from, moves)`.
export function editor(view, flipped, use) {
  const picture = view.picture ? structuredClone(view.picture) : null;
  let brush = picture ? { side: "first", sign: picture.signs[0] } : null;
  let toMove = view.to_move;
  const place = el("div", { class: "table" });
  const palette = el("div", { class: "palette", role: "group", "aria-label": "What a click puts on a square" });

  function draw() {
    replace(place, board(picture, { game: table.game, flipped, sides: view.sides, label: "board being set up", onsquare: put }));
    const same = (a, b) => a === b || (a && b && a.side === b.side && a.sign === b.sign);
    const button = (what, text) => el("button", { type: "button", "aria-pressed": same(brush, what) ? "true" : "false", onclick: () => { brush = what; draw(); } }, text);
    const of = (side, name) => picture.signs.map((sign) => button({ side, sign }, `${name} ${sign}`.trim()));
    replace(palette, of("first", view.sides[0]), of("second", view.sides[1]), button(null, "nothing"));
  }

  function put(square) {
    const there = picture.pieces[square];
    const same = brush && there && there.side === brush.side && there.sign === brush.sign;
    picture.pieces[square] = same ? null : brush && { ...brush };
    draw();
    place.querySelector(`[data-square="${picture.names[square]}"]`)?.focus();
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
  if (picture) draw();
  return el("div", { class: "editor" },
    picture && [el("h2", {}, "Set up"), palette, place,
      el("div", { class: "buttons" },
        field("Turn", choice(sides, toMove, (side) => { toMove = side; }, { id: "turn" })),
        el("button", { type: "button", id: "clear", onclick: () => { picture.pieces.fill(null); draw(); } }, "Clear"),
        el("button", { type: "button", id: "use", class: "main", onclick: done }, "Use this position"))],
    el("h2", {}, "Paste"), text,
    el("div", { class: "buttons" }, el("button", { type: "button", id: "take", class: "main", onclick: paste }, "Take this")));
}
