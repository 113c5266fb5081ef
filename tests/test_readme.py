"""The commands of the README, run as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile

import pytest
from django.conf import settings

from tests.real_data import SHARED

README = (settings.BASE_DIR / "README.md").read_text()
CSFCUBE = SHARED / "csfcube"


@pytest.mark.csfcube
@pytest.mark.skipif(not CSFCUBE.exists(), reason="The CSFCube release is not here.")
def test_csfcube_from_its_release_to_ours(tmp_path):
    section = README.split("## CSFCube, from its release to yours")[1].split("\n## ")[0]
    commands = re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1]
    commands = commands.replace("path/to/CSFCube", str(CSFCUBE)).replace("--output .", f"--output {tmp_path}")
    commands = commands.replace(".venv/bin/python", sys.executable).replace(
        "createsuperuser", "createsuperuser --noinput"
    )
    account = {"DJANGO_SUPERUSER_PASSWORD": "of this test", "DJANGO_SUPERUSER_EMAIL": "you@example.org"}
    environment = os.environ | account | {"DATA_DIR": str(tmp_path / "data")}
    environment.pop("DATABASE_URL", None)
    run = subprocess.run(
        ["bash", "-e", "-c", commands], env=environment, cwd=settings.BASE_DIR, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
    table = re.findall(r"^\| (background|method) \|(.*)\|$", section, re.MULTILINE)
    assert len(table) == 2
    printed = {line.split()[0]: line.split()[1:] for line in run.stdout.splitlines() if line.strip()}
    for facet, cells in table:
        assert [float(cell) for cell in printed[facet]] == [float(cell.replace(",", "")) for cell in cells.split("|")]
    with zipfile.ZipFile(tmp_path / "csfcube-1.0.zip") as archive:
        archive.extractall(tmp_path / "release")
    verified = subprocess.run([sys.executable, "verify.py"], cwd=tmp_path / "release", capture_output=True, text=True)
    assert verified.returncode == 0, verified.stdout
