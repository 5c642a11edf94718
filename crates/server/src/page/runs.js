// Runs: started, watched, stopped, resumed.

import { address, get, listen, post } from "/api.js";
import { choice, drawing, el, field, replace, say } from "/dom.js";

const KINDS = { learn: "Learn: games, a fit, matches", bootstrap: "Bootstrap: from the rules alone", match: "Match between two functions", fit: "Fit a model to a dataset" };

// Name, label, kind of field; numbers have a hint of what is usual.
const FORMS = {
  learn: [["games", "Games", "number", "set by the game"], ["depth", "Depth", "number", "set by the game"], ["pairs", "Pairs of a match", "number", "set by the game"], ["seed", "Seed", "number", "1"]],
  bootstrap: [["learner", "Learner", ["tree", "logistic", "fisher", "quadratic", "least-squares"]], ["rounds", "Rounds", "number", "30"], ["games", "Games a round", "number", "100"], ["depth", "Depth", "number", "set by the game"], ["pairs", "Pairs of a match", "number", "set by the game"], ["seed", "Seed", "number", "1"]],
  match: [["a", "First player", "player"], ["b", "Second player", "player"], ["depth", "Depth", "number", "set by the game"], ["pairs", "Pairs", "number", "set by the game"], ["seed", "Seed", "number", "1"]],
  fit: [["data", "Dataset", "dataset"], ["learner", "Learner", ["logistic", "tree", "fisher", "quadratic", "least-squares", "patterns"]], ["seed", "Seed", "number", "1"]],
};

export async function show(place, parts, query, told) {
  const chosen = parts.length ? decodeURIComponent(parts.join("/")) : "";
  const list = el("div", { class: "list" });
  const detail = el("div", { class: "detail" });
  const form = el("div", { class: "form" });
  let stop = () => {};
  let held = await get("/workspace");
  let kind = query.get("kind") ?? "learn";

  async function refresh() {
    const runs = await get("/runs");
    replace(list, el("h2", {}, "Runs"), runs.length ? el("ul", { class: "runs" }, runs.map((run) => el("li", {}, el("a", {
      href: `#/run/${run.path.split("/").map(encodeURIComponent).join("/")}`, "aria-current": run.path === chosen ? "true" : undefined, "data-run": run.path,
    }, el("span", { class: `state ${run.state}` }, run.state), el("strong", {}, run.path), el("span", { class: "quiet" }, ` ${run.kind}${run.game ? `, ${run.game}` : ""}`)))))
      : el("p", { class: "quiet" }, "There are no runs in this folder yet."));
    return runs;
  }

  function drawForm() {
    const fields = new Map();
    const keep = (name, node) => { fields.set(name, node); return node; };
    const models = held.models.map((m) => m.path);
    const control = ([name, label, type, hint]) => {
      if (Array.isArray(type)) return field(label, keep(name, choice(["", ...type].map((t) => [t, t || "usual"]), "", () => {}, { id: `f-${name}` })));
      if (type === "player") return field(label, keep(name, choice(["hand", "trivial", "shipped", ...models], name === "a" ? "shipped" : "hand", () => {}, { id: `f-${name}` })));
      if (type === "dataset") return field(label, keep(name, choice(held.datasets.map((d) => d.path), held.datasets[0]?.path, () => {}, { id: `f-${name}` })));
      return field(label, keep(name, el("input", { type: "number", min: 0, placeholder: hint, id: `f-${name}` })));
    };
    const name = el("input", { id: "f-name", required: true, pattern: "[A-Za-z0-9][A-Za-z0-9._-]*", maxlength: 80, "aria-describedby": "name-hint" });
    name.value = `${kind}-1`;
    async function start(event) {
      event.preventDefault();
      const order = { kind, name: name.value };
      for (const [key, node] of fields) {
        if (node.value === "") continue;
        order[key] = node.type === "number" ? Number(node.value) : node.value;
      }
      try {
        const { path, command } = await post("/runs", order);
        say(`Started: ${command}`);
        location.hash = `#/run/${encodeURIComponent(path)}`;
      } catch (error) { say(error.message, true); }
    }
    replace(form, el("h2", {}, "Start a run"), el("form", { class: "controls", onsubmit: start },
      field("What", choice(Object.entries(KINDS), kind, (k) => { kind = k; drawForm(); }, { id: "f-kind" })),
      kind !== "fit" && field("Game", keep("game", choice(told.games.map((g) => g.name), "othello", () => {}, { id: "f-game" }))),
      field("Name", name), FORMS[kind].map(control), el("button", { class: "main", id: "start" }, "Start")),
      el("p", { class: "quiet", id: "name-hint" }, "The name becomes a folder or file of the workspace."));
  }

  // What is there already is not drawn again: a report that is being read stays.
  let reported = "";
  const report = el("div", { class: "report" });
  const head = el("div", {});
  function watch() {
    if (!chosen) return replace(detail, el("p", { class: "quiet" }, "Choose a run to watch it."));
    let state = "";
    replace(detail, head, report);
    stop = listen("/runs/events", { path: chosen }, {
      run: (run) => {
        if (run.state !== state) { state = run.state; refresh(); }
        const act = (verb) => async () => {
          try { await post(`/runs/${verb}`, { path: chosen }); say(verb === "stop" ? "Stopping at the next safe point" : "Going on"); } catch (error) { say(error.message, true); }
        };
        replace(head, el("h2", {}, run.path), el("p", {}, el("span", { class: `state ${run.state}`, id: "state" }, run.state), ` ${run.kind}${run.game ? `, ${run.game}` : ""}`),
          el("div", { class: "buttons" }, run.state === "running" && el("button", { type: "button", id: "stop", onclick: act("stop") }, "Stop"),
            run.resumable && el("button", { type: "button", id: "resume", class: "main", onclick: act("resume") }, "Resume")),
          run.command && el("p", { class: "quiet" }, "The same on the command line: ", el("code", {}, run.command)),
          run.table && el("pre", { class: "result", id: "result" }, run.table), run.charts.map(drawing),
          run.output && el("details", { open: run.state === "running" }, el("summary", {}, "Output"), el("pre", { class: "output", id: "output" }, run.output.trimEnd())));
        const version = run.report ? `${run.state} ${run.table ?? ""}` : "";
        if (version !== reported) {
          reported = version;
          const source = address("/runs/report", { path: chosen });
          replace(report, run.report && [el("p", {}, el("a", { href: source, target: "_blank", rel: "noopener" }, "The report on a page of its own")), el("iframe", { src: source, title: `Report of ${chosen}`, sandbox: "" })]);
        }
      },
    });
  }

  replace(place, el("div", { class: "runs-view" }, el("section", { "aria-label": "Runs" }, list, form), el("section", { "aria-label": "One run" }, detail)));
  await refresh();
  drawForm();
  watch();
  return () => stop();
}
