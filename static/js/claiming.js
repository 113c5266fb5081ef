// Tells the server that the person works on this case, so that no other adjudicator is given it. A
// claim ends some minutes after the last sign of the person. What was typed stays on the page.

import { newKey, send } from "./delivery.js";
import { SIGNS } from "./stopwatch.js";

const EVERY = 3 * 60_000; // a claim lasts 15 minutes

export function keepClaim() {
  const page = document.body.dataset;
  if (!page.claimUrl) return;
  let renewedAt = "claimed" in page ? performance.now() : -Infinity;
  const renew = async () => {
    if (performance.now() - renewedAt < EVERY) return;
    renewedAt = performance.now();
    const body = new URLSearchParams({ key: newKey(), person: page.person });
    const { outcome, answer } = await send(page.claimUrl, body.toString());
    if (outcome === "saved") document.getElementById("claim")?.remove();
    else if (outcome === "refused") tell(answer.message);
  };
  for (const sign of SIGNS) addEventListener(sign, renew, { passive: true, capture: true });
  renew();
}

function tell(message) {
  const notice = document.getElementById("claimed-by-another");
  notice.querySelector("span").textContent = message;
  notice.hidden = false;
  document.getElementById("claim")?.remove();
}
