// Requests to this server, with the key where it asks for one. Errors say what the server said.

const KEY = "gama.key";

export class Refused extends Error {
  constructor(status, code, message, wait = 0) {
    super(message);
    this.status = status;
    this.code = code;
    this.wait = wait;
  }
}

export const LOST = "The server does not answer. Nothing you wrote is lost. Is it running?";
const BROKEN = "The connection to the server broke off before the answer was whole. Nothing you wrote is lost.";

export function apiKey() {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return memory;
  }
}

let memory = "";

export function setApiKey(value) {
  memory = value;
  try {
    if (value) sessionStorage.setItem(KEY, value);
    else sessionStorage.removeItem(KEY);
  } catch {
    // Kept in memory only.
  }
}

async function request(method, path, body, signal) {
  const headers = {};
  const key = apiKey();
  if (key) headers["x-gama-key"] = key;
  if (body !== undefined) headers["content-type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body), redirect: "error", credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (error instanceof TypeError && /header|ByteString|ISO-8859/i.test(error.message)) {
      throw new Refused(401, "key_missing", "The API key has characters that no key has.");
    }
    throw new Refused(0, "unreachable", LOST);
  }
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

async function refusal(answer) {
  let told = null;
  try {
    told = await answer.json();
  } catch {
    // What is no JSON is none of ours: the status says enough.
  }
  const message = typeof told?.detail === "string" ? told.detail : `The server refused (${answer.status}).`;
  return new Refused(answer.status, told?.code ?? "refused", message, Number(answer.headers.get("retry-after")) || 0);
}

export async function getJson(path, signal) {
  return (await request("GET", path, undefined, signal)).json();
}

export async function postJson(path, body, signal) {
  return (await request("POST", path, body, signal)).json();
}

export async function remove(path) {
  return request("DELETE", path);
}

/** Post and yield the server-sent events of the answer. Ends with an error where the stream ends too early. */
export async function* postStream(path, body, signal) {
  const answer = await request("POST", path, body, signal);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let ended = false;
  try {
    for (;;) {
      let piece;
      try {
        piece = await reader.read();
      } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new Refused(0, "broken", BROKEN);
      }
      if (piece.done) break;
      rest += piece.value;
      for (let end = rest.indexOf("\r\n\r\n"); end >= 0; end = rest.indexOf("\r\n\r\n")) {
        const found = parse(rest.slice(0, end));
        rest = rest.slice(end + 4);
        ended = ended || found.event === "end" || found.event === "error";
        yield found;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  if (!ended) throw new Refused(0, "broken", BROKEN);
}

function parse(block) {
  const found = { event: "message", data: null };
  for (const line of block.split("\r\n")) {
    if (line.startsWith("event: ")) found.event = line.slice(7);
    if (line.startsWith("data: ")) found.data = JSON.parse(line.slice(6));
  }
  return found;
}
