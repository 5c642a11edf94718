// Which view is shown, by the address behind the `#`.

import { get } from "/api.js";
import { el, replace } from "/dom.js";
import * as play from "/play.js";

// The other views are fetched when they are first looked at.
const views = { play: () => play, inside: () => import("/inside.js"), curve: () => import("/curves.js"), run: () => import("/runs.js") };

let leave = () => {};
let games;

async function show() {
  const [path, words = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...parts] = path.split("/");
  const chosen = name in views ? name : "play";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === chosen) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  leave();
  leave = () => {};
  const place = document.getElementById("view");
  try {
    games ??= get("/games");
    const view = await views[chosen]();
    leave = (await view.show(place, parts, new URLSearchParams(words), await games)) ?? (() => {});
  } catch (error) {
    replace(place, el("p", { class: "wrong", role: "alert" }, error.message));
  }
}

addEventListener("hashchange", show);
show();
