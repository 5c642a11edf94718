// Curves: how often does who is said to be ahead win?

import { get, post } from "/api.js";
import { shown } from "/board.js";
import { choice, drawing, el, field, percent, replace, say, signed, svg, whole } from "/dom.js";

export async function show(place, parts, query) {
  const held = await get("/workspace");
  const sources = [...held.datasets.map((d) => ({ ...d, kind: "dataset" })), ...held.tables.map((t) => ({ ...t, kind: "table" }))];
  const wish = {
    data: parts[0] ? decodeURIComponent(parts[0]) : sources[0]?.path, function: query.get("function") ?? "shipped", value: query.get("value") ?? "",
    result: query.get("result") ?? "", side: query.get("side") ?? "", first: query.get("first") ?? "",
    conditions: query.getAll("where"), min_count: Math.max(1, Math.floor(Number(query.get("min"))) || 200),
  };
  if (!sources.length) {
    replace(place, el("div", { class: "empty" }, el("h2", {}, "No data yet"), el("p", {}, "Curves are drawn of datasets, and of tables (CSV, TSV, Parquet), in the workspace folder. ",
      el("a", { href: "#/run" }, "Start a run"), " to make one.")));
    return;
  }
  const nodes = { head: el("div", { class: "controls" }), chart: el("div", { class: "figure" }), side: el("div", { class: "splits" }), found: el("div", {}), boards: el("div", { class: "boards" }) };
  let told = null;
  let turn = 0;

  const source = () => sources.find((s) => s.path === wish.data) ?? sources[0];
  const order = () => {
    const common = { data: wish.data, conditions: wish.conditions, min_count: wish.min_count };
    if (source().kind === "dataset") return { ...common, function: wish.function };
    const { value, result, side, first } = wish;
    return Object.fromEntries(Object.entries({ ...common, value, result, side, first }).filter(([, text]) => text !== ""));
  };

  function remember() {
    const words = new URLSearchParams();
    if (source().kind === "dataset") words.set("function", wish.function);
    else for (const name of ["value", "result", "side", "first"]) if (wish[name]) words.set(name, wish[name]);
    for (const condition of wish.conditions) words.append("where", condition);
    if (wish.min_count !== 200) words.set("min", wish.min_count);
    history.replaceState(null, "", `#/curve/${encodeURIComponent(wish.data)}?${words}`);
  }

  // Whether it could be drawn.
  async function refresh() {
    const mine = ++turn;
    replace(nodes.boards);
    if (source().kind === "table" && !wish.value) {
      replace(nodes.side);
      replace(nodes.chart, el("p", { class: "quiet" }, "Say which column of the table is the value."));
      return true;
    }
    nodes.chart.setAttribute("aria-busy", "true");
    try {
      const answer = await post("/curves/draw", order());
      if (mine !== turn || !place.isConnected) return true;
      told = answer;
      remember();
      draw();
      return true;
    } catch (error) {
      if (mine !== turn) return true;
      replace(nodes.chart, el("p", { class: "wrong", role: "alert" }, error.message));
      replace(nodes.side, wish.conditions.map((condition) => el("div", { class: "card" }, el("h3", {}, condition), remove(condition))));
      return false;
    } finally {
      nodes.chart.removeAttribute("aria-busy");
    }
  }

  const names = el("datalist", { id: "names" });
  const suggest = (list) => replace(names, list.map((name) => el("option", { value: name })));

  // The fields, once for each source: what is being typed stays while curves are drawn.
  async function drawHead() {
    const { kind, game, path } = source();
    const models = held.models.filter((m) => !m.game || m.game === game).map((m) => [m.path, `${m.path} (${m.what})`]);
    const condition = el("input", { id: "condition", placeholder: "stage < 30 and mobility > 2", list: "names", autocomplete: "off" });
    const add = async () => {
      const text = condition.value.trim();
      if (!text || wish.conditions.includes(text)) return;
      wish.conditions.push(text);
      if (await refresh()) { condition.value = ""; return; }
      // What cannot be drawn is said, and does not stay.
      say(nodes.chart.textContent, true);
      wish.conditions = wish.conditions.filter((c) => c !== text);
      refresh();
    };
    const typed = (name, attributes) => {
      const input = el("input", { id: name, autocomplete: "off", ...attributes, onchange: () => { wish[name] = input.value.trim(); refresh(); } });
      input.value = wish[name];
      return input;
    };
    const count = el("input", { id: "min", type: "number", min: 1, max: 1000000, onchange: () => { wish.min_count = Math.max(1, Math.floor(Number(count.value)) || 200); refresh(); } });
    count.value = wish.min_count;
    const columns = kind === "table" ? await get("/curves/names", { data: path }).then((answer) => answer.names).catch((error) => { say(error.message, true); return []; }) : [];
    const column = (name, none) => choice([["", none], ...columns], wish[name], (c) => { wish[name] = c; refresh(); }, { id: name });
    suggest(columns);
    replace(nodes.head,
      field("Positions", choice(sources.map((s) => [s.path, `${s.path} (${s.what}${s.game ? `, ${s.game}` : ""})`]), path, async (d) => {
        Object.assign(wish, { data: d, conditions: [], value: "", result: "", side: "", first: "" });
        replace(nodes.found);
        await drawHead();
        nodes.head.querySelector("#data").focus();
        refresh();
      }, { id: "data" })),
      kind === "dataset" ? field("Function", choice(["shipped", "hand", "trivial", ...models], wish.function, (f) => { wish.function = f; refresh(); }, { id: "function" })) : [
        field("Value", typed("value", { placeholder: "a column, or total - bishop", list: "names" })), field("Result", column("result", "result")),
        field("Who moves", column("side", "values are the first player’s"), "A column that tells who is to move, where values are the mover’s"),
        field("First player’s word", typed("first", { placeholder: "w in Chess, b in Shogi" }), "In the columns of results and sides")],
      field("Positions a bin", count, "Bins with fewer positions are left out"),
      el("form", { class: "buttons", onsubmit: (e) => { e.preventDefault(); add(); } }, field("Where", condition), el("button", { id: "add" }, "Add curve"),
        el("button", { type: "button", id: "search", onclick: search }, "Find conditions")), names);
  }

  function draw() {
    suggest(told.names);
    const figure = drawing(told.svg);
    const chart = figure.querySelector("svg");
    chart.setAttribute("tabindex", 0);
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", told.caption);
    const { values: [low, high], pixels: [start, end], width } = told.axis;
    const valueAt = (event) => {
      const box = chart.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * width;
      return low + ((x - start) / (end - start)) * (high - low);
    };
    const placeOf = (value) => start + ((value - low) / (high - low)) * (end - start);
    const height = Number(chart.getAttribute("height"));
    const band = svg("rect", { class: "chosen-bin", y: 0, height, width: 0 });
    chart.append(band);
    const bin = told.bin_width;
    const snap = (value) => Math.round(value / bin) * bin;
    let range = null;
    const choose = (a, b) => {
      range = [Math.min(snap(a), snap(b)) - bin / 2, Math.max(snap(a), snap(b)) + bin / 2];
      band.setAttribute("x", placeOf(range[0]));
      band.setAttribute("width", Math.max(1, placeOf(range[1]) - placeOf(range[0])));
    };
    let begun = null;
    chart.addEventListener("pointerdown", (e) => { begun = valueAt(e); choose(begun, begun); chart.setPointerCapture(e.pointerId); });
    chart.addEventListener("pointermove", (e) => { if (begun !== null) choose(begun, valueAt(e)); });
    chart.addEventListener("pointerup", (e) => { if (begun !== null) { choose(begun, valueAt(e)); begun = null; look(range); } });
    chart.addEventListener("keydown", (e) => {
      const step = { ArrowLeft: -bin, ArrowRight: bin }[e.key];
      if (!step) return;
      const middle = range ? (range[0] + range[1]) / 2 + step : 0;
      choose(middle, middle);
      look(range);
      e.preventDefault();
    });
    replace(nodes.chart, figure, el("p", { class: "quiet" }, told.caption, source().kind === "dataset" ? " Drag over the chart, or use the arrow keys on it, to see the positions of a bin." : ""), told.notes.map((note) => el("p", { class: "note" }, `Note: ${note}.`)));
    replace(nodes.side, told.curves.map(card));
  }

  function card(curve) {
    const { condition, split } = curve;
    const facts = [["positions", whole(curve.positions)], ["games", whole(curve.games)], ["monotone", curve.monotone ? "yes" : "no"]];
    if (split) {
      facts.push(["win probability", `${signed(100 * split.vertical, 1)} points`], ["missed log-odds", `${signed(split.log_odds, 3)} ± ${(1.96 * split.log_odds_error).toFixed(3)}`],
        ["gain", split.gain.toFixed(1)], ["p", split.p_value < 1e-4 ? split.p_value.toExponential(1) : split.p_value.toFixed(4)]);
    } else if (condition) facts.push(["split", "cannot be told"]);
    return el("div", { class: "card", "data-condition": condition ?? "" }, el("h3", {}, condition ?? "all positions"),
      el("dl", {}, facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
      condition && remove(condition));
  }

  const remove = (condition) => el("button", { type: "button", "aria-label": `Remove ${condition}`, onclick: () => { wish.conditions = wish.conditions.filter((c) => c !== condition); refresh(); } }, "Remove");

  async function search() {
    replace(nodes.found, el("p", { class: "quiet" }, "Looking for conditions that split the curve …"));
    try {
      const { tests, found } = await post("/curves/search", { ...order(), conditions: [] });
      replace(nodes.found, el("h3", {}, found.length ? "Conditions that split the curve" : "No condition splits the curve"), el("p", { class: "quiet" }, `${whole(tests)} tried; false discoveries at most one in twenty`),
        el("ul", { class: "found" }, found.map((f) => el("li", {}, el("button", { type: "button", onclick: () => { if (!wish.conditions.includes(f.condition)) wish.conditions.push(f.condition); refresh(); } }, f.condition),
          el("span", { class: "quiet" }, ` ${signed(f.log_odds, 3)} missed, gain ${f.gain.toFixed(1)}`)))));
    } catch (error) {
      replace(nodes.found, el("p", { class: "wrong", role: "alert" }, error.message));
    }
  }

  async function look(range) {
    if (source().kind !== "dataset") return;
    const mine = turn;
    try {
      const held = wish.conditions.slice(-1);
      const { game, positions } = await post("/curves/positions", { ...order(), conditions: held, range });
      if (mine !== turn) return;
      const where = held.length ? ` where ${held[0]}` : "";
      const words = wish.function === "shipped" ? "" : `?${new URLSearchParams({ function: wish.function })}`;
      replace(nodes.boards, el("h3", {}, `${positions.length ? "Some positions" : "No position"} from ${range[0].toFixed(2)} to ${range[1].toFixed(2)}${where}`),
        positions.map((p) => el("a", { class: "mini", href: `#/inside/${game}/@${encodeURIComponent(p.position)}${words}` }, shown(p, { game, small: true, label: p.position }),
          el("span", {}, `${signed(p.value)} · ${p.points === 1 ? "won" : p.points === 0 ? "lost" : "drawn"}`))));
      say(`${positions.length} positions shown`);
    } catch (error) { say(error.message, true); }
  }

  replace(place, el("div", { class: "curves" }, nodes.head, el("div", { class: "beside" }, nodes.chart, el("div", {}, nodes.side, nodes.found)), nodes.boards));
  await drawHead();
  await refresh();
  return () => { turn++; };
}
