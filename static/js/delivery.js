// Sends one submission and tells what became of it. Only JSON that echoes the submission's key comes
// from this server and ends the wait: a proxy, a portal or a maintenance page can answer anything else.

const PATIENCE = 20_000;

// The server refuses the sender or the address, not the answer. A login or an admin fixes it.
const FOR_NOW = {
  LoggedOut: "logged-out",
  CsrfFailed: "logged-out",
  AnotherPerson: "other-person",
  CollectionArchived: "archived",
};

// The outcome is one of: saved, refused, logged-out, other-person, archived, failing, foreign,
// unreachable.
export async function send(url, body) {
  const fields = new URLSearchParams(body);
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE);
  try {
    const response = await fetch(url, {
      method: "POST",
      body: fields,
      headers: { Accept: "application/json", "X-CSRFToken": csrfToken() },
      redirect: "manual",
      keepalive: true,
      signal: patience.signal,
    });
    const answer = await ourAnswer(response, fields.get("key"));
    return { outcome: outcomeOf(response, answer), status: response.status, answer };
  } catch {
    return { outcome: "unreachable", status: 0, answer: null };
  } finally {
    clearTimeout(timer);
  }
}

// `crypto.randomUUID` exists on HTTPS and localhost only; a laboratory's server may have neither.
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function outcomeOf(response, answer) {
  if (answer?.error) return FOR_NOW[answer.error] ?? "refused";
  if (answer && response.ok) return "saved";
  if (response.status >= 500 || response.status === 429 || response.status === 408)
    return "failing";
  return "foreign";
}

async function ourAnswer(response, key) {
  if (!response.headers.get("content-type")?.includes("application/json")) return null;
  const text = await response.text(); // a connection that breaks here counts as no answer
  try {
    const answer = JSON.parse(text);
    return answer?.key === key ? answer : null;
  } catch {
    return null;
  }
}

// Read each time, because a login in another tab changes it.
function csrfToken() {
  const cookie = document.cookie.split("; ").find((part) => part.startsWith("csrftoken="));
  return (
    cookie?.slice("csrftoken=".length) ??
    document.querySelector("[name=csrfmiddlewaretoken]")?.value ??
    ""
  );
}
