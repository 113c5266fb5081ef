// What this browser remembers of a person's choices. Where its storage is full or switched off, nothing is kept and
// the page works all the same.

export function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // it holds for this page
  }
}
