// The error browser: n and p go to the next and the previous error. They are links, so they work without
// this script, too.

import { onKeys } from "./keys.js";

const follow = (id) => () => document.getElementById(id)?.click();

onKeys({ n: follow("next-error"), p: follow("previous-error") });
