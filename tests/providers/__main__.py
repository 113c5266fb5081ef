"""Download providers, start them, and log in at each of them in a browser.

Needs npm, apt-get and dpkg-deb, but installs nothing: Debian's packages are only unpacked.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.processes import ROOT

OIDC_PROVIDER = "oidc-provider@9.13.3"
PACKAGES = ("simplesamlphp", "php8.2-cli", "php8.2-common", "php8.2-xml", "php8.2-mbstring")
NEEDED = ("node", "npm", "apt-get", "dpkg-deb")


def main() -> int:
    if missing := [program for program in NEEDED if not shutil.which(program)]:
        print(f"Missing: {', '.join(missing)}. Install them first.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="qrelsmith-providers-") as folder:
        downloads = Path(folder)
        downloads.chmod(0o755)  # for the user of apt
        download(downloads)
        return check(downloads)


def download(folder: Path) -> None:
    npm, archives, debian = folder / "npm", folder / "archives", folder / "debian"
    for each in (npm, archives, debian):
        each.mkdir()
    install = ["npm", "install", "--no-audit", "--no-fund", "--save-exact", OIDC_PROVIDER]
    subprocess.run(install, cwd=npm, check=True)
    subprocess.run(["apt-get", "download", *PACKAGES], cwd=archives, check=True)
    for archive in archives.glob("*.deb"):
        subprocess.run(["dpkg-deb", "--extract", archive, debian], check=True)


def check(downloads: Path) -> int:
    """pytest's exit code."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "0",
        "-q",
        "tests/providers/check_providers.py",
    ]
    environment = {**os.environ, "PROVIDER_DOWNLOADS": str(downloads)}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
