"""Where this machine has Chromium."""

from __future__ import annotations

import os
import shutil

# Debian's `chromium-headless-shell` is the same engine without the window and the pages of the
# browser itself: the tests in a browser need a quarter less time in it.
NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]


def chromium() -> str | None:
    """The path of the program that CHROMIUM names, or else of an installed one."""
    named = os.environ.get("CHROMIUM")
    names = [named] if named else NAMES
    return next((path for name in names if (path := shutil.which(name))), None)
