// Which view is shown, by the address behind the `#`.

import { get } from "/api.js";
import { el, replace } from "/dom.js";
import * as play from "/play.js";

// The other views are fetched when they are first looked at.
const views = { play: () => play, inside: () => import("/inside.js"), curve: () => import("/curves.js"), run: () => import("/runs.js") };

let leave = () => {};
let turn = 0;
let games;

async function show() {
  const [path, words = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...parts] = path.split("/");
  const chosen = Object.hasOwn(views, name) ? name : "play";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === chosen) {
      link.setAttribute("aria-current", "page");
      document.title = `${link.textContent} · evalsmith`;
    } else link.removeAttribute("aria-current");
  }
  const leaveLast = leave;
  leave = () => {};
  // A view that is left before it was there draws on a stage that nobody sees.
  const mine = ++turn;
  const stage = el("div", {});
  replace(document.getElementById("view"), stage);
  try {
    leaveLast();
    // What a view needs first it asks for itself, not after this is answered.
    games ??= get("/games");
    const view = await views[chosen]();
    if (mine !== turn) return;
    // A view returns how to leave it, or nothing.
    const told = await view.show(stage, parts, new URLSearchParams(words), games);
    const left = typeof told === "function" ? told : () => {};
    if (mine === turn) leave = left;
    else left();
  } catch (error) {
    games = undefined;
    replace(stage, el("p", { class: "wrong", role: "alert" }, error.message));
  }
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  (document.querySelector("#view [tabindex='0']") ?? document.getElementById("view")).focus();
});
addEventListener("hashchange", show);
show();
