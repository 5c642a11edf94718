// The game on the table: what Play and Inside look at, and its address.

import { post } from "/api.js";

export const table = { game: "othello", from: null, moves: [], ply: 0, function: "shipped" };

export const line = () => ({ from: table.from, moves: table.moves.slice(0, table.ply) });

export function view() {
  return post(`/games/${table.game}/view`, { ...line(), function: table.function });
}

const words = (moves) => moves.map(encodeURIComponent).join(",");

// `#/play/othello/f5,d6`, `#/play/chess/@FEN/e4?ply=1&function=hand`.
export function address(name, more = {}) {
  let hash = `#/${name}/${table.game}`;
  if (table.from) hash += `/@${encodeURIComponent(table.from)}`;
  if (table.moves.length) hash += `/${words(table.moves)}`;
  const query = new URLSearchParams();
  if (table.ply !== table.moves.length) query.set("ply", table.ply);
  if (table.function !== "shipped") query.set("function", table.function);
  for (const [word, value] of Object.entries(more)) if (value) query.set(word, value);
  const text = query.toString();
  return text ? `${hash}?${text}` : hash;
}

// Reads what `address` writes; whether it told of a game.
export function readAddress(parts, query) {
  if (!parts[0]) return false;
  table.game = decodeURIComponent(parts[0]);
  const rest = parts.slice(1);
  table.from = rest[0]?.startsWith("@") ? decodeURIComponent(rest.shift().slice(1)) : null;
  table.moves = rest[0] ? rest[0].split(",").map(decodeURIComponent) : [];
  const ply = Number(query.get("ply") ?? table.moves.length);
  table.ply = Math.max(0, Math.min(table.moves.length, Number.isInteger(ply) ? ply : 0));
  table.function = query.get("function") ?? "shipped";
  return true;
}

// Notes the place without leaving the page.
export function remember(name, more) {
  const hash = address(name, more);
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

export function play(move) {
  table.moves = [...table.moves.slice(0, table.ply), move];
  table.ply = table.moves.length;
}

export const sideName = (shown, side) => shown.sides[side === "first" ? 0 : 1];
