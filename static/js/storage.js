// The storage of this browser. If it is blocked, reading finds nothing and writing does nothing.

const PROBE = "qrelsmith:probe";

export const forGood = remembering(() => localStorage);
export const forThisTab = remembering(() => sessionStorage);

// Returns whether both can be written now: a policy, a private window or a full disk may forbid it.
export function storageWorks() {
  try {
    for (const storage of [localStorage, sessionStorage]) {
      storage.setItem(PROBE, "1");
      storage.removeItem(PROBE);
    }
    return true;
  } catch {
    return false;
  }
}

function remembering(storage) {
  const attempt = (work) => {
    try {
      return work(storage());
    } catch {
      return null;
    }
  };
  return {
    get: (name) => attempt((items) => items.getItem(name)),
    set: (name, value) => attempt((items) => (items.setItem(name, value), true)) ?? false,
    remove: (name) => attempt((items) => items.removeItem(name)),
    names: () => attempt((items) => Object.keys(items)) ?? [],
  };
}
