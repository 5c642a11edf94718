// Curves: how often does who is said to be ahead win?

import { get, post } from "/api.js";
import { shown } from "/board.js";
import { choice, drawing, el, field, percent, replace, say, signed, svg, whole } from "/dom.js";

export async function show(place, parts, query) {
  const held = await get("/workspace");
  const sources = [...held.datasets.map((d) => ({ ...d, kind: "dataset" })), ...held.tables.map((t) => ({ ...t, kind: "table" }))];
  const wish = {
    data: parts[0] ? decodeURIComponent(parts[0]) : sources[0]?.path, function: query.get("function") ?? "shipped", value: query.get("value") ?? "",
    conditions: query.getAll("where"), min_count: Number(query.get("min")) || 200,
  };
  if (!sources.length) {
    return replace(place, el("div", { class: "empty" }, el("h2", {}, "No data yet"), el("p", {}, "Curves are drawn of datasets, and of tables (CSV, TSV, Parquet), in the workspace folder. ",
      el("a", { href: "#/run" }, "Start a run"), " to make one.")));
  }
  const nodes = { head: el("div", { class: "controls" }), chart: el("div", { class: "figure" }), side: el("div", { class: "splits" }), found: el("div", {}), boards: el("div", { class: "boards" }) };
  let told = null;
  let turn = 0;

  const source = () => sources.find((s) => s.path === wish.data) ?? sources[0];
  const order = () => {
    const common = { data: wish.data, conditions: wish.conditions, min_count: wish.min_count };
    return source().kind === "dataset" ? { ...common, function: wish.function } : { ...common, value: wish.value || undefined };
  };

  function remember() {
    const words = new URLSearchParams();
    if (source().kind === "dataset") words.set("function", wish.function);
    else if (wish.value) words.set("value", wish.value);
    for (const condition of wish.conditions) words.append("where", condition);
    if (wish.min_count !== 200) words.set("min", wish.min_count);
    history.replaceState(null, "", `#/curve/${encodeURIComponent(wish.data)}?${words}`);
  }

  async function refresh() {
    const mine = ++turn;
    drawHead();
    replace(nodes.boards);
    if (source().kind === "table" && !wish.value) {
      return replace(nodes.chart, el("p", { class: "quiet" }, "Say which column of the table is the value."));
    }
    nodes.chart.setAttribute("aria-busy", "true");
    try {
      const answer = await post("/curves/draw", order());
      if (mine !== turn) return;
      told = answer;
      remember();
      draw();
    } catch (error) {
      if (mine === turn) replace(nodes.chart, el("p", { class: "wrong", role: "alert" }, error.message));
    } finally {
      nodes.chart.removeAttribute("aria-busy");
    }
  }

  function drawHead() {
    const { kind, game } = source();
    const models = held.models.filter((m) => !m.game || m.game === game).map((m) => [m.path, `${m.path} (${m.what})`]);
    const condition = el("input", { id: "condition", placeholder: "stage < 30 and mobility > 2", list: "names", "aria-label": "A condition" });
    const add = () => { if (condition.value.trim()) { wish.conditions.push(condition.value.trim()); refresh(); } };
    const value = el("input", { id: "value", placeholder: "a column, or total - bishop", onchange: () => { wish.value = value.value; refresh(); } });
    value.value = wish.value;
    const count = el("input", { id: "min", type: "number", min: 1, max: 1000000, onchange: () => { wish.min_count = Math.max(1, Number(count.value) || 200); refresh(); } });
    count.value = wish.min_count;
    replace(nodes.head,
      field("Positions", choice(sources.map((s) => [s.path, `${s.path} (${s.what}${s.game ? `, ${s.game}` : ""})`]), wish.data, (d) => { wish.data = d; wish.conditions = []; replace(nodes.found); refresh(); }, { id: "data" })),
      kind === "dataset" ? field("Function", choice(["shipped", "hand", "trivial", ...models], wish.function, (f) => { wish.function = f; refresh(); }, { id: "function" })) : field("Value", value),
      field("Positions a bin", count, "Bins with fewer positions are left out"),
      el("form", { class: "buttons", onsubmit: (e) => { e.preventDefault(); add(); } }, field("Where", condition), el("button", { id: "add" }, "Add curve"),
        el("button", { type: "button", id: "search", onclick: search }, "Find conditions")),
      el("datalist", { id: "names" }, (told?.names ?? []).map((name) => el("option", { value: name }))));
  }

  function draw() {
    drawHead();
    const figure = drawing(told.svg);
    const chart = figure.querySelector("svg");
    chart.setAttribute("tabindex", 0);
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
      condition && el("button", { type: "button", onclick: () => { wish.conditions = wish.conditions.filter((c) => c !== condition); refresh(); } }, "Remove"));
  }

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
      const { game, positions } = await post("/curves/positions", { ...order(), conditions: wish.conditions.slice(-1), range });
      if (mine !== turn) return;
      replace(nodes.boards, el("h3", {}, `${positions.length ? "Some positions" : "No position"} from ${range[0].toFixed(2)} to ${range[1].toFixed(2)}`),
        positions.map((p) => el("a", { class: "mini", href: `#/inside/${game}/@${encodeURIComponent(p.position)}` }, shown(p, { game, small: true, label: p.position }),
          el("span", {}, `${signed(p.value)} · ${p.points === 1 ? "won" : p.points === 0 ? "lost" : "drawn"}`))));
      say(`${positions.length} positions shown`);
    } catch (error) { say(error.message, true); }
  }

  replace(place, el("div", { class: "curves" }, nodes.head, el("div", { class: "beside" }, nodes.chart, el("div", {}, nodes.side, nodes.found)), nodes.boards));
  await refresh();
  return () => { turn++; };
}
