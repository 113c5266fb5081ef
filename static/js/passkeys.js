// Shows the buttons for passkeys where the browser has them, and says what went wrong.
// django-allauth's scripts do the rest.

import { text } from "./language.js";

const buttons = document.querySelectorAll("[data-passkey]");
const supported = window.isSecureContext && "PublicKeyCredential" in window;

if (supported) for (const button of buttons) button.hidden = false;
for (const element of document.querySelectorAll("[data-no-passkey]")) element.hidden = supported;

document.addEventListener("allauth.error", (event) => {
  const cancelled = event.detail.exception?.name === "NotAllowedError";
  const message = cancelled
    ? text("The passkey was not used: it was cancelled, or it took too long. Try again.")
    : text("This device has no passkey that works here. Use another way.");
  const [button] = buttons;
  const form = button?.closest("form") ?? document.getElementById(button?.getAttribute("form"));
  if (!form) return;
  form.querySelector("[data-passkey-error]")?.remove();
  const notice = document.createElement("p");
  notice.className = "notice bad";
  notice.setAttribute("role", "alert");
  notice.dataset.passkeyError = "";
  notice.textContent = message;
  form.prepend(notice);
  event.preventDefault();
});
