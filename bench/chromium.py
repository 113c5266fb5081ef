"""Where this machine has Chromium."""

from __future__ import annotations

import os
import shutil


def chromium() -> str | None:
    """The path of the program that CHROMIUM names, or else of an installed one."""
    named = os.environ.get("CHROMIUM")
    names = [named] if named else ["chromium", "chromium-browser", "google-chrome"]
    return next((path for name in names if (path := shutil.which(name))), None)
