// On pages other than the workspace: sends what still waits on this computer, and says so.

import { Outbox, showSaveState } from "./outbox.js";

const notice = document.getElementById("unsaved");
const outbox = new Outbox(notice.dataset.person);
if (outbox.waiting.length || outbox.refused.length) {
  showSaveState(outbox, { notice, loginUrl: notice.dataset.loginUrl });
  outbox.deliver();
}
