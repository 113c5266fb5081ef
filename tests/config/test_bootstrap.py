"""`make` on a fresh machine: which Python, what is installed when, one line per failure."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.running import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")

OLD = "#!/bin/sh\nexit 1\n"  # what an old Python and a shim for none say to the Makefile's question


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A checkout whose demo only says that it started, and whose lock asks for nothing."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    for name in ("Makefile", "bootstrap.py"):
        shutil.copy(ROOT / name, folder)
    (folder / "requirements.lock").write_text("# nothing\n")
    (folder / "manage.py").write_text("import os\nprint('started on port', os.environ['PORT'])\n")
    return folder


@pytest.fixture
def programs(tmp_path) -> Path:
    """A PATH with make and a shell and, to begin with, no Python."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("make", "sh"):
        (folder / name).symlink_to(shutil.which(name))
    return folder


def put(programs: Path, name: str, script: str = "") -> None:
    """A program by that name: the script, or the Python that runs the tests."""
    path = programs / name
    path.write_text(script or f'#!/bin/sh\nexec "{sys._base_executable}" "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def demo(checkout, programs):
    def run(**environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["make", "--no-print-directory", "demo"],
            cwd=checkout,
            env={"PATH": str(programs), "HOME": os.environ["HOME"], **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.by_day(4)
def test_packages_are_installed_once_for_each_lock_and_a_failure_is_one_line(
    demo, programs, checkout
):
    """One environment for all of it, because making it takes seconds."""
    # An old python3 gives way to a newer one by its full name; uv is asked before pip.
    put(programs, "python3", OLD)
    put(programs, "python3.12", OLD)
    put(programs, "python3.11")
    put(programs, "uv", '#!/bin/sh\necho "uv was asked: $@"\nexit 1\n')
    first = demo()
    assert first.stdout.startswith("Installing the Python packages")
    assert first.stdout.endswith("started on port 8000\n")
    log = (checkout / "var/logs/install.log").read_text()
    assert "uv was asked: pip install" in log
    assert "--require-hashes" in log

    second = demo(PORT="8003")
    assert second.stdout == "started on port 8003\n"
    assert (second.returncode, second.stderr) == (0, "")

    (programs / "uv").unlink()
    nowhere = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    lock = checkout / "requirements.lock"
    lock.write_text(f"no-such-package-anywhere==1 --hash=sha256:{'0' * 64}\n")
    failed = demo(**nowhere)
    assert failed.returncode != 0
    ours, makes_own = failed.stderr.splitlines()
    assert "the package index did not answer, or has no package for this Python" in ours
    assert "var/logs/install.log" in ours
    assert makes_own.startswith("make: ***")

    lock.write_text("# nothing else\n")
    third = demo()
    assert third.stdout.startswith("Installing the Python packages")
    assert third.stdout.endswith("started on port 8000\n")


def test_no_python_is_one_line(demo, programs):
    put(programs, "python3", OLD)
    failed = demo()
    assert failed.returncode != 0
    assert failed.stdout == ""
    ours, makes_own = failed.stderr.splitlines()
    assert ours.startswith("Qrelsmith needs Python 3.11 or newer, and none is on the PATH.")
    assert makes_own.startswith("make: ***")


def test_a_python_without_venv_is_one_line(checkout):
    without = (
        "import importlib.util as u, runpy, sys; found = u.find_spec;"
        "u.find_spec = lambda name: None if name == 'ensurepip' else found(name);"
        "sys.argv = ['bootstrap.py', 'requirements.lock'];"
        "runpy.run_path('bootstrap.py', run_name='__main__')"
    )
    failed = subprocess.run(
        [sys.executable, "-c", without], cwd=checkout, capture_output=True, text=True, check=False
    )
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert failed.returncode == 1
    assert len(failed.stderr.splitlines()) == 1
    assert f"run `apt install python{version}-venv`" in failed.stderr
