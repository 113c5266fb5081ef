"""What the start of a process loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.running import ROOT, environment

# Each takes up to a second, and most commands, workers and web processes need none of them.
SLOW = ("gensim", "pandas", "pyarrow", "scipy.optimize", "scipy.stats", "sklearn", "vl_convert")
START = f"""
import sys
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", "check"])
print("loaded:", *sorted(set({SLOW!r}) & sys.modules.keys()))
"""


def test_no_library_is_loaded_that_takes_long_and_is_not_used(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", START],
        env=environment(DATA_DIR=str(tmp_path), DJANGO_SETTINGS_MODULE="config.settings"),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.splitlines()[-1] == "loaded:", "import it through web/lazy.py"


def test_the_program_celery_finds_the_rooms(tmp_path):
    """It begins with its own folder on the path, unlike `python -m celery`."""
    program = Path(sys.executable).with_name("celery")

    done = subprocess.run(
        [program, "-A", "config", "report"],
        cwd=ROOT,
        env={**environment(), "DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "config.settings" in done.stdout
