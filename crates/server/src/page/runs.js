// Runs: started, watched, stopped, resumed.

import { address, get, listen, post } from "/api.js";
import { choice, drawing, el, field, replace, say } from "/dom.js";

const KINDS = {
  learn: "Learn: games, a fit, matches", bootstrap: "Bootstrap: from the rules alone", match: "Match between two functions",
  tournament: "Tournament: all against all", fit: "Fit a model to a dataset",
};

// Name, label, kind of field; numbers have a hint of what is usual.
const [DEPTH, SEED] = [["depth", "Depth", "number", "set by the game"], ["seed", "Seed", "number", "1"]];
const PAIRS = ["pairs", "Pairs of a match", "number", "set by the game"];
const FORMS = {
  learn: [["games", "Games", "number", "set by the game"], DEPTH, PAIRS, SEED],
  bootstrap: [["learner", "Learner", ["tree", "logistic", "fisher", "quadratic", "least-squares"]], ["rounds", "Rounds", "number", "30"], ["games", "Games a round", "number", "100"], DEPTH, PAIRS,
    ["patience", "End after matches without gain", "number", "3 (0: never)"], SEED],
  match: [["a", "First player", "player"], ["b", "Second player", "player"], DEPTH, ["pairs", "Pairs", "number", "set by the game"], SEED],
  tournament: [["players", "Players", "players"], DEPTH, PAIRS, SEED],
  fit: [["data", "Dataset", "dataset"], ["learner", "Learner", ["logistic", "tree", "fisher", "quadratic", "least-squares", "patterns", "configurations"]], SEED],
};

export async function show(place, parts, query, told) {
  const chosen = parts.length ? decodeURIComponent(parts.join("/")) : "";
  const list = el("div", { class: "list" });
  const detail = el("div", { class: "detail" });
  const form = el("div", { class: "form" });
  const [{ games }, held] = [await told, await get("/workspace")];
  let runs = [];

  async function refresh() {
    runs = await get("/runs");
    replace(list, el("h2", {}, "Runs"), runs.length ? el("ul", { class: "runs" }, runs.map((run) => el("li", {}, el("a", {
      href: `#/run/${run.path.split("/").map(encodeURIComponent).join("/")}`, "aria-current": run.path === chosen ? "true" : undefined, "data-run": run.path,
    }, el("span", { class: `state ${run.state}` }, run.state), el("strong", {}, run.path), el("span", { class: "quiet" }, ` ${run.kind}${run.game ? `, ${run.game}` : ""}`)))))
      : el("p", { class: "quiet" }, "There are no runs in this folder yet."));
  }

  // What a person chose stays when the form changes around it.
  const wish = { kind: Object.hasOwn(FORMS, query.get("kind")) ? query.get("kind") : "learn", game: "othello" };
  function drawForm() {
    const { kind } = wish;
    const fields = new Map();
    const keep = (name, node, value = () => node.value) => { fields.set(name, value); return node; };
    const players = ["shipped", "hand", "trivial", ...held.models.filter((m) => !m.game || m.game === wish.game).map((m) => m.path)];
    const control = ([name, label, type, hint]) => {
      const id = `f-${name}`;
      if (Array.isArray(type)) return field(label, keep(name, choice(["", ...type].map((t) => [t, t || "usual"]), "", () => {}, { id })));
      if (type === "player") return field(label, keep(name, choice(players, name === "a" ? "shipped" : "hand", () => {}, { id })));
      if (type === "players") {
        const ticks = players.map((player, i) => el("input", { type: "checkbox", value: player, id: `${id}-${i}`, checked: i < 2 }));
        return keep(name, el("fieldset", { class: "ticks" }, el("legend", {}, label), ticks.map((tick) => el("label", {}, tick, ` ${tick.value}`))),
          () => ticks.filter((tick) => tick.checked).map((tick) => tick.value));
      }
      if (type === "dataset") return field(label, keep(name, choice(held.datasets.map((d) => d.path), held.datasets[0]?.path, () => {}, { id })));
      const input = el("input", { type: "number", min: 0, step: 1, placeholder: hint, id });
      return field(label, keep(name, input, () => (input.value === "" ? "" : Number(input.value))));
    };
    const name = el("input", { id: "f-name", required: true, pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]*", maxlength: 70, "aria-describedby": "name-hint" });
    const taken = (n) => runs.some((run) => run.path.replace(/\.(jsonl|safetensors)$/, "") === `${kind}-${n}`);
    let n = 1;
    while (taken(n)) n++;
    name.value = `${kind}-${n}`;
    async function start(event) {
      event.preventDefault();
      const order = { kind, name: name.value };
      for (const [key, value] of fields) if (value() !== "") order[key] = value();
      try {
        const { path, command } = await post("/runs", order);
        say(`Started: ${command}`);
        location.hash = `#/run/${encodeURIComponent(path)}`;
      } catch (error) { say(error.message, true); }
    }
    const nothing = kind === "fit" && !held.datasets.length;
    replace(form, el("h2", {}, "Start a run"), el("form", { class: "controls", onsubmit: start },
      field("What", choice(Object.entries(KINDS), kind, (k) => { wish.kind = k; drawForm(); form.querySelector("#f-kind").focus(); }, { id: "f-kind" })),
      kind !== "fit" && field("Game", keep("game", choice(games.map((g) => g.name), wish.game, (g) => { wish.game = g; drawForm(); form.querySelector("#f-game").focus(); }, { id: "f-game" }))),
      field("Name", name), FORMS[kind].map(control), el("button", { class: "main", id: "start", disabled: nothing }, "Start")),
      el("p", { class: "quiet", id: "name-hint" }, nothing ? "A fit needs a dataset in the workspace: learn makes one." : "The name becomes a folder or file of the workspace."));
  }

  // What is there already is not drawn again: a button keeps the focus, a report that is
  // being read stays, and output stays opened or closed.
  const parted = { title: el("h2", {}, chosen), state: el("p", { role: "status" }), buttons: el("div", { class: "buttons" }), command: el("p", { class: "quiet" }),
    table: el("div", {}), charts: el("div", {}), output: el("pre", { class: "output", id: "output", tabindex: 0, "aria-label": "Output" }), report: el("div", { class: "report" }) };
  const said = el("details", { hidden: true }, el("summary", {}, "Output"), parted.output);
  const drawn = new Map();
  const part = (name, key, build) => {
    const text = JSON.stringify(key);
    if (drawn.get(name) === text) return;
    drawn.set(name, text);
    const focused = parted[name].contains(document.activeElement);
    replace(parted[name], build());
    if (focused) parted[name].querySelector("button")?.focus();
  };
  const act = (verb) => async () => {
    try {
      await post(`/runs/${verb}`, { path: chosen });
      say(verb === "stop" ? "Stopping at the next safe point" : "Going on");
      // What was asked for is seen at once, not with the next news.
      draw(await get("/runs/one", { path: chosen }));
    } catch (error) { say(error.message, true); }
  };

  function draw(run) {
    if (drawn.get("seen") !== run.state) { drawn.set("seen", run.state); refresh(); }
    part("state", [run.state, run.kind, run.game], () => [el("span", { class: `state ${run.state}`, id: "state" }, run.state), ` ${run.kind}${run.game ? `, ${run.game}` : ""}`]);
    part("buttons", [run.state, run.stoppable, run.resumable], () => [
      run.stoppable && el("button", { type: "button", id: "stop", onclick: act("stop") }, "Stop"),
      run.state === "running" && !run.stoppable && el("span", { class: "quiet" }, "It was started elsewhere, and is stopped there."),
      run.resumable && el("button", { type: "button", id: "resume", class: "main", onclick: act("resume") }, "Resume")]);
    part("command", run.command, () => run.command && ["The same on the command line: ", el("code", {}, run.command)]);
    part("table", run.table, () => run.table && el("pre", { class: "result", id: "result", tabindex: 0, "aria-label": "Result so far" }, run.table));
    part("charts", run.charts, () => run.charts.map(drawing));
    if (!drawn.has("output")) said.open = run.state !== "finished";
    said.hidden = !run.output;
    part("output", run.output, () => run.output.trimEnd());
    parted.output.scrollTop = parted.output.scrollHeight;
    part("report", run.report && [run.state, run.state === "running" ? "" : run.table], () => {
      const source = address("/runs/report", { path: chosen });
      return run.report && [el("p", {}, el("a", { href: source, target: "_blank", rel: "noopener" }, "The report on a page of its own")), el("iframe", { src: source, title: `Report of ${chosen}`, sandbox: "" })];
    });
  }

  // A page that nobody sees asks for nothing.
  let stop = () => {};
  function watch() {
    stop();
    if (!document.hidden && chosen) stop = listen("/runs/events", { path: chosen }, { run: draw });
  }

  replace(place, el("div", { class: "runs-view" }, el("section", { "aria-label": "Runs" }, list, form), el("section", { "aria-label": "One run" }, detail)));
  await refresh();
  drawForm();
  if (!chosen) replace(detail, el("p", { class: "quiet" }, "Choose a run to watch it."));
  else {
    try {
      draw(await get("/runs/one", { path: chosen }));
      replace(detail, parted.title, parted.state, parted.buttons, parted.command, parted.table, parted.charts, said, parted.report);
      watch();
    } catch (error) { replace(detail, el("p", { class: "wrong", role: "alert" }, error.message)); }
  }
  document.addEventListener("visibilitychange", watch);
  return () => {
    stop();
    document.removeEventListener("visibilitychange", watch);
  };
}
