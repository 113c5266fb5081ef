"""The commands of the README, run as they stand there."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import zipfile
from contextlib import closing, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest
from django.conf import settings

from tests.real_data import SHARED

README = (settings.BASE_DIR / "README.md").read_text()
CSFCUBE = SHARED / "csfcube"


def section(title: str) -> str:
    return README.split(f"## {title}\n")[1].split("\n## ")[0]


def commands_of(title: str, folder: Path) -> str:
    """With the files and the programs of this test in place of the reader's."""
    commands = re.search(r"```sh\n(.*?)```", section(title), re.DOTALL)[1]
    programs = Path(sys.executable).parent
    theirs = {
        ".venv/bin": str(programs),
        "path/to/CSFCube": str(CSFCUBE),
        "--output .": f"--output {folder}",
        "papers.jsonl": str(folder / "papers.jsonl"),
        "createsuperuser": "createsuperuser --noinput",
    }
    for mine, here in theirs.items():
        commands = commands.replace(mine, here)
    return commands


def environment_of(folder: Path) -> dict[str, str]:
    account = {"DJANGO_SUPERUSER_PASSWORD": "of this test", "DJANGO_SUPERUSER_EMAIL": "you@example.org"}
    environment = os.environ | account | {"DATA_DIR": str(folder / "data")}
    environment.pop("DATABASE_URL", None)
    return environment


@pytest.mark.csfcube
@pytest.mark.skipif(not CSFCUBE.exists(), reason="The CSFCube release is not here.")
def test_csfcube_from_its_release_to_ours(tmp_path):
    title = "CSFCube, from its release to yours"
    command = ["bash", "-e", "-c", commands_of(title, tmp_path)]
    environment = environment_of(tmp_path)
    run = subprocess.run(command, env=environment, cwd=settings.BASE_DIR, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    table = re.findall(r"^\| (background|method) \|(.*)\|$", section(title), re.MULTILINE)
    assert len(table) == 2
    printed = {line.split()[0]: line.split()[1:] for line in run.stdout.splitlines() if line.strip()}
    for facet, cells in table:
        assert [float(cell) for cell in printed[facet]] == [float(cell.replace(",", "")) for cell in cells.split("|")]
    with zipfile.ZipFile(tmp_path / "csfcube-1.0.zip") as archive:
        archive.extractall(tmp_path / "release")
    verified = subprocess.run([sys.executable, "verify.py"], cwd=tmp_path / "release", capture_output=True, text=True)
    assert verified.returncode == 0, verified.stdout


def test_your_own_collection_up_to_a_server_and_a_worker(tmp_path):
    abstracts = [{"docno": f"p{number}", "title": f"Paper {number}", "abstract": "We sort."} for number in range(3)]
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, abstracts)))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    command = ["bash", "-e", "-c", commands_of("Your own collection", tmp_path)]
    environment = environment_of(tmp_path) | {"BIND": address}
    shell = subprocess.Popen(command, env=environment, cwd=settings.BASE_DIR, start_new_session=True)
    health = {"seconds_since_worker": None}
    try:
        while health["seconds_since_worker"] is None:
            assert shell.poll() is None, "A command failed."
            time.sleep(0.2)
            with suppress(OSError):
                health = json.load(urlopen(f"http://{address}/healthz", timeout=5))
        page = urlopen(f"http://{address}/", timeout=30).read().decode()
        style = re.search(r'href="(/static/css/[^"]+)"', page)[1]
        assert b"color-scheme" in urlopen(f"http://{address}{style}", timeout=30).read()
    finally:
        os.killpg(shell.pid, signal.SIGTERM)
        shell.wait(timeout=30)
    with closing(sqlite3.connect(tmp_path / "data" / "qrelsmith.sqlite3")) as database:
        rows = database.execute("SELECT docno FROM corpus_document ORDER BY docno").fetchall()
    assert rows == [("p0",), ("p1",), ("p2",)]
