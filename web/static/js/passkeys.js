// allauth's scripts ask the browser for a passkey; what goes wrong there is said on the page.
document.addEventListener("allauth.error", (event) => {
  const { exception } = event.detail;
  const notice = document.getElementById("passkey-trouble");
  notice.textContent = `The browser gave no passkey: ${exception.message}`;
  notice.hidden = false;
  event.preventDefault();
});
