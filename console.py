"""The command `qrelsmith` of an installed wheel: `manage.py`, and short names of long processes.

The wheel has the repository's folders below `qrelsmith/` (ADR 86), so this module puts them on the
path, as `python manage.py` does in a clone. Only this module is imported as `qrelsmith.…`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
SHORT_NAMES = {"demo": "start_demo"}
# Workers need nothing of each other, because jobs are rows. docs/deployment.md has the same.
WORKER = ("worker", "--without-gossip", "--without-mingle", "--without-heartbeat")
PROCESSES = {
    "web": ("gunicorn", "--config", "python:config.gunicorn", "config.wsgi"),
    "worker": ("celery", "-A", "config", *WORKER),
}
HELP = """\
qrelsmith demo [--port PORT]  Start Qrelsmith with a demo collection, until Ctrl-C.
qrelsmith web [OPTIONS]       Start the web server. The options are those of gunicorn.
qrelsmith worker [OPTIONS]    Start a worker. The options are those of celery's worker.
qrelsmith COMMAND             As `manage.py COMMAND` in the documentation.
Data are in {data_dir}. Set DATA_DIR to use another folder.
"""


def main() -> None:
    prepare()
    name, *rest = sys.argv[1:] or ["help"]
    if name in PROCESSES:
        os.chdir(ROOT)  # Both put the working directory first on their path.
        os.execv(sys.executable, [sys.executable, "-m", *PROCESSES[name], *rest])
    if name in {"help", "--help", "-h"} and not rest:
        sys.stdout.write(HELP.format(data_dir=os.environ["DATA_DIR"]) + "\n")
    from manage import main as manage

    sys.argv[1:] = [SHORT_NAMES.get(name, name), *rest]
    manage()


def prepare() -> None:
    """Set the path and the folder for data, here and for processes that are started from here."""
    sys.path.insert(0, str(ROOT))
    others = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *([others] if others else [])])
    # Else a folder such as `demo` in the working directory would be imported in place of ours.
    os.environ["PYTHONSAFEPATH"] = "1"
    data_dir = Path(os.environ.get("DATA_DIR") or usual_data_dir()).expanduser().resolve()
    os.environ["DATA_DIR"] = str(data_dir)
    os.environ.setdefault("STATIC_ROOT", str(data_dir / "staticfiles"))


def usual_data_dir() -> Path:
    """Return a folder of the user, because the wheel's own may be deleted at any time (pipx)."""
    shared = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(shared, "qrelsmith")


if __name__ == "__main__":
    main()
