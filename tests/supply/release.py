"""`make release-files`: the wheel, SBOMs, locks and checksums of a tagged version, in `dist/`.

All is made of the commit, not of the working folder. The same commit on the same platform gives the
same bytes, so a second person can build the files again and compare `SHA256SUMS`.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

from tests.supply.packages import PROJECT, ROOT
from tests.supply.sbom import moment_of_commit, sbom_of

VERSION = PROJECT["version"]


def build_wheel(sources: Path, folder: Path, epoch: int) -> Path:
    """Build the wheel of these sources with the installed hatchling."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}
    subprocess.run(command, cwd=sources, env=environment, check=True, stdout=subprocess.DEVNULL)
    return folder / f"qrelsmith-{VERSION}-py3-none-any.whl"


def constraints_of(lock: Path) -> str:
    """Return the pins of a lock without hashes, which pip refuses for a wheel from a file."""
    pins = re.findall(r"^[A-Za-z0-9].*?==.*?(?= \\$|$)", lock.read_text(), re.MULTILINE)
    return "".join(f"{pin}\n" for pin in pins)


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout


def refusal() -> str:
    """Return why HEAD is not a release of the version in pyproject.toml, or ""."""
    if git("status", "--porcelain"):
        return "There are changes that are not committed. Commit or remove them."
    if f"v{VERSION}" not in git("tag", "--points-at", "HEAD").decode().split():
        return f"The commit has no tag v{VERSION}. Run `git tag v{VERSION}`."
    return ""


def write_files(folder: Path) -> None:
    """Write the files of HEAD into the folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    moment = moment_of_commit()
    with tempfile.TemporaryDirectory() as sources:
        with tarfile.open(fileobj=BytesIO(git("archive", "HEAD"))) as archive:
            archive.extractall(sources, filter="data")
        build_wheel(Path(sources), folder, int(moment.timestamp()))
        for lock in ("requirements.lock", "requirements-server.lock"):
            shutil.copyfile(Path(sources, lock), folder / lock)
        (folder / "constraints.txt").write_text(constraints_of(Path(sources, "requirements.lock")))
    for lock in ("demo", "server"):
        (folder / f"sbom-{lock}.json").write_text(sbom_of(lock, moment) + "\n")
    files = sorted(path for path in folder.iterdir())
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (folder / "SHA256SUMS").write_text("".join(sums))
    print("".join(sums), end="")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--untagged", action="store_true", help="Build of any commit, to try it.")
    parser.add_argument("--folder", type=Path, default=ROOT / "dist")
    options = parser.parse_args()
    if not options.untagged and (reason := refusal()):
        print(reason)
        return 1
    write_files(options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
