// The server's questions and answers. A refusal is an Error with its sentence.

const BASE = "/api/v1";

async function answer(response) {
  const told = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(told.error ?? `the server said ${response.status}`);
  return told;
}

export async function get(path, words) {
  return answer(await fetch(address(path, words)));
}

export async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  return answer(await fetch(BASE + path, { method: "POST", headers, body: JSON.stringify(body) }));
}

export function address(path, words) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(words ?? {})) {
    if (value !== undefined && value !== null && value !== "") query.set(name, value);
  }
  const text = query.toString();
  return BASE + path + (text ? `?${text}` : "");
}

// Listens to what is live; returns how to stop. The stream ends with `done`, and is
// not begun again by the browser then.
export function listen(path, words, handlers) {
  const source = new EventSource(address(path, words));
  for (const [name, handle] of Object.entries(handlers)) {
    source.addEventListener(name, (event) => handle(JSON.parse(event.data)));
  }
  source.addEventListener("done", () => source.close());
  source.onerror = () => source.close();
  return () => source.close();
}
