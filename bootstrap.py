"""Install the packages of a lock file into `.venv`: `python bootstrap.py requirements.lock`.

It runs before anything is installed, so it uses the standard library only. It stores the lock's
checksum in `.venv`, so a second run does nothing. An error is one line; pip's output is in a log.

Where uv is on the path, it installs the packages, in a quarter of pip's time. If it fails, pip
tries: it may know an index that uv does not, and its errors are explained here.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
NOTE = VENV / "installed-locks.txt"
LOG = Path(os.environ.get("DATA_DIR") or ROOT / "var").resolve() / "logs" / "install.log"
# Each lock is compiled with the one before as a constraint, so it contains all of it.
CONTAINS = {
    "requirements-server.lock": ["requirements.lock"],
    "requirements-dev.lock": ["requirements.lock", "requirements-server.lock"],
}

NETWORK = r"Could not find a version|NewConnectionError|ConnectTimeout|Read timed out|Name or servi"
EXPLANATIONS = [
    (r"DO NOT MATCH THE HASHES", "the hash of a downloaded package differs from the lock file"),
    (r"No space left on device", "the disk is full"),
    (NETWORK, "the package index did not answer, or has no package for this Python"),
    (r"Permission denied", "a file or folder is not writable"),
]


class SetupFailed(Exception):
    """An error with a message of one line for the terminal."""


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
    lock_names = [lock_name, *CONTAINS.get(lock_name, [])]
    NOTE.write_text("".join(f"{name} {checksum(name)}\n" for name in lock_names))


def checksum(lock_name: str) -> str:
    return hashlib.sha256((ROOT / lock_name).read_bytes()).hexdigest()


def environment_runs() -> bool:
    """Also False if the Python that the environment was created from is missing or too old."""
    return runs(PYTHON, "import ssl, sys; sys.exit(sys.version_info < (3, 11))")


def runs(python: Path, code: str) -> bool:
    try:
        quiet = subprocess.DEVNULL
        return subprocess.run([python, "-c", code], stderr=quiet, check=False).returncode == 0
    except OSError:
        return False


def make_environment() -> None:
    """Create the environment. One that runs is kept, whichever Python it was created from."""
    if environment_runs():
        if runs(PYTHON, "import pip") or not run_logged([str(PYTHON), "-m", "ensurepip"], "w"):
            return
    elif not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise SetupFailed(
            f"Python {version} ({sys.executable}) has no venv module."
            f" On Debian or Ubuntu, run `apt install python{version}-venv`."
        )
    if run_logged([sys.executable, "-m", "venv", "--clear", str(VENV)], "w"):
        raise SetupFailed(f"{VENV} could not be created: {explanation()}. See {LOG}")


def install(lock_name: str) -> None:
    say("Installing the Python packages. This takes a minute or two, only once ")
    if not installed_by_uv(lock_name) and run_logged(pip_command(lock_name), "a"):
        say("\n")
        raise SetupFailed(
            f"The Python packages could not be installed: {explanation()}."
            f" The output of pip is in {LOG}. Run the same command to try again."
        )
    say(" done\n")


def installed_by_uv(lock_name: str) -> bool:
    uv = shutil.which("uv")
    options = ["--python", str(PYTHON), "--require-hashes", "--quiet"]
    return bool(uv) and not run_logged(
        [str(uv), "pip", "install", *options, "-r", str(ROOT / lock_name)], "a"
    )


def pip_command(lock_name: str) -> list[str]:
    # A module is compiled when it is imported. Compiling all 14,000 takes 20 s on one core.
    options = ["--disable-pip-version-check", "--no-input", "--require-hashes", "--no-compile"]
    command = [str(PYTHON), "-m", "pip", "install", *options, "--progress-bar", "off"]
    return [*command, "-r", str(ROOT / lock_name)]


def run_logged(command: list[str], mode: str) -> int:
    """The command's exit code. Its output goes to the log, and a dot a second to a terminal."""
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
    log = LOG.read_text(errors="replace")
    for pattern, words in EXPLANATIONS:
        if re.search(pattern, log):
            return words
    errors = re.findall(r"^(?:ERROR|Error): *(.+)$", log, re.MULTILINE)
    return errors[-1].rstrip(".") if errors else "it stopped without an error message"


def say(words: str) -> None:
    sys.stdout.write(words)
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except SetupFailed as failure:
        sys.exit(str(failure))
    except KeyboardInterrupt:
        sys.exit("\nStopped. Run the same command to continue.")
    except OSError as error:
        sys.exit(f"The Python packages could not be installed: {error}")
