"""Make `.venv` what a lock file says: `python bootstrap.py requirements.lock`.

Runs before anything is installed, so it uses the standard library only. A second run finds the
lock's checksum noted in `.venv` and does nothing. What goes wrong is said in one line; all that pip
said is kept beside the other logs.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
NOTE = VENV / "installed-locks.txt"
LOG = Path(os.environ.get("DATA_DIR") or ROOT / "var").resolve() / "logs" / "install.log"
# The development lock is compiled under the constraint of the other: it holds all of it.
CONTAINS = {"requirements-dev.lock": ["requirements.lock"]}

NETWORK = r"Could not find a version|NewConnectionError|ConnectTimeout|Read timed out|Name or servi"
EXPLANATIONS = [
    (r"DO NOT MATCH THE HASHES", "a downloaded package is not the one the lock file names"),
    (r"No space left on device", "the disk is full"),
    (NETWORK, "the package index did not answer, or lacks a package for this Python"),
    (r"Permission denied", "a file or folder may not be written"),
]


class Failure(Exception):
    """What went wrong, as one line for the person at the terminal."""


def main(lock_name: str) -> None:
    with Path(__file__).open() as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # two commands started together install one after another
        if not is_installed(lock_name):
            NOTE.unlink(missing_ok=True)
            make_environment()
            install(lock_name)
            note(lock_name)


def is_installed(lock_name: str) -> bool:
    return NOTE.exists() and checksum(lock_name) in NOTE.read_text().split() and environment_runs()


def note(lock_name: str) -> None:
    covered = [lock_name, *CONTAINS.get(lock_name, [])]
    NOTE.write_text("".join(f"{name} {checksum(name)}\n" for name in covered))


def checksum(lock_name: str) -> str:
    return hashlib.sha256((ROOT / lock_name).read_bytes()).hexdigest()


def environment_runs() -> bool:
    """False also where the Python that the environment was made from is gone or too old."""
    return runs(PYTHON, "import ssl, sys; sys.exit(sys.version_info < (3, 11))")


def runs(python: Path, code: str) -> bool:
    try:
        quiet = subprocess.DEVNULL
        return subprocess.run([python, "-c", code], stderr=quiet, check=False).returncode == 0
    except OSError:
        return False


def make_environment() -> None:
    """An environment that runs is kept, whichever Python it was made from."""
    if environment_runs():
        if runs(PYTHON, "import pip") or not run_logged([str(PYTHON), "-m", "ensurepip"], "w"):
            return
    elif not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise Failure(
            f"Python {version} ({sys.executable}) comes without venv; on Debian or Ubuntu,"
            f" `apt install python{version}-venv` brings it."
        )
    if run_logged([sys.executable, "-m", "venv", "--clear", str(VENV)], "w"):
        raise Failure(f"The environment {VENV} could not be made: {explanation()}; see {LOG}")


def install(lock_name: str) -> None:
    say("Installing the Python packages, which takes a minute or two, this once ")
    options = ["--disable-pip-version-check", "--no-input", "--require-hashes"]
    command = [str(PYTHON), "-m", "pip", "install", *options, "--progress-bar", "off"]
    if run_logged([*command, "-r", str(ROOT / lock_name)], "a"):
        say("\n")
        raise Failure(
            f"The Python packages could not be installed: {explanation()}."
            f" What pip said is in {LOG}; the same command tries again."
        )
    say(" done\n")


def run_logged(command: list[str], mode: str) -> int:
    """The command's exit code; its output goes to the log, and a dot a second to a terminal."""
    LOG.parent.mkdir(parents=True, exist_ok=True)
    with (
        LOG.open(mode) as log,
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        ) as process,
    ):
        while process.poll() is None:
            time.sleep(0.05 if mode == "w" else 1)
            if mode == "a" and sys.stdout.isatty():
                say(".")
    return process.returncode


def explanation() -> str:
    said = LOG.read_text(errors="replace")
    for pattern, words in EXPLANATIONS:
        if re.search(pattern, said):
            return words
    errors = re.findall(r"^(?:ERROR|Error): *(.+)$", said, re.MULTILINE)
    return errors[-1].rstrip(".") if errors else "it stopped without saying why"


def say(words: str) -> None:
    sys.stdout.write(words)
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Failure as failure:
        sys.exit(str(failure))
    except KeyboardInterrupt:
        sys.exit("\nStopped; the same command goes on from here.")
    except OSError as error:
        sys.exit(f"The Python packages could not be installed: {error}")
