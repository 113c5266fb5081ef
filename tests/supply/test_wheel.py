"""The wheel has what the program reads, and its command starts the demo outside of a clone."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.conftest import ROOT
from tests.supply.packages import PROJECT
from tests.supply.release import build_wheel
from tests.support.running import wait_until

# What is in the repository and is no part of the program. All else must be in the wheel.
FOLDERS_LEFT_OUT = ("tests/", "bench/", "containers/", "docs/pictures/", "docs/site/", ".ci/")
FILES_LEFT_OUT = re.compile(
    r"docs/\w+\.py|\.\w+[\w.-]*|bootstrap\.py|Makefile|Dockerfile|docker-compose\.yml|renovate\.json|"
    r"requirements[\w-]*\.lock|(README|SECURITY)\.md|LICENSE"
)
EPOCH = 1_700_000_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"), EPOCH)


def test_it_has_every_file_of_the_program_and_no_other(wheel):
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    names = {name for name in tracked if name and (ROOT / name).exists()}
    wanted = {
        f"qrelsmith/{name}"
        for name in names
        if not name.startswith(FOLDERS_LEFT_OUT) and not FILES_LEFT_OUT.fullmatch(name)
    }

    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}

    assert packed == wanted
    for needed in ("templates/base.html", "static/css/qrelsmith.css", "annotation/migrations/"):
        assert any(name.startswith(f"qrelsmith/{needed}") for name in packed), needed
    assert "qrelsmith/locale/de/LC_MESSAGES/django.mo" in packed


def test_its_metadata_name_the_requirements_the_licence_and_the_command(wheel):
    with zipfile.ZipFile(wheel) as archive:
        folder = f"qrelsmith-{PROJECT['version']}.dist-info"
        metadata = archive.read(f"{folder}/METADATA").decode()
        commands = archive.read(f"{folder}/entry_points.txt").decode()
        assert f"{folder}/licenses/LICENSE" in archive.namelist()

    required = re.findall(r"^Requires-Dist: ([\w.-]+)(?!.*extra ==)", metadata, re.MULTILINE)
    asked = [re.match(r"[\w.-]+", each)[0] for each in PROJECT["dependencies"]]
    assert sorted(required) == sorted(asked)
    assert "License-Expression: GPL-3.0-or-later" in metadata
    assert "qrelsmith = qrelsmith.console:main" in commands


def test_two_builds_have_the_same_bytes(wheel, tmp_path):
    """Also with other permissions, in another time zone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Pacific/Auckland")
        before = os.umask(0o077)
        try:
            again = build_wheel(ROOT, tmp_path, EPOCH)
        finally:
            os.umask(before)

    assert again.read_bytes() == wheel.read_bytes()


def test_only_one_folder_is_installed(wheel):
    """Else the rooms would overwrite packages of others, such as `web` and `jobs`."""
    with zipfile.ZipFile(wheel) as archive:
        folders = {name.partition("/")[0] for name in archive.namelist()}
    assert folders == {"qrelsmith", f"qrelsmith-{PROJECT['version']}.dist-info"}


@pytest.fixture(scope="module")
def site(wheel, tmp_path_factory) -> Path:
    """The wheel as it is installed, beside the packages of this environment."""
    site = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


class TestTheCommand:
    @pytest.fixture
    def qrelsmith(self, site, tmp_path) -> Iterator[object]:
        """Start `qrelsmith` in a folder with modules of the same names as rooms."""
        for name in ("demo", "config", "web"):
            (tmp_path / "here" / name).mkdir(parents=True)
            (tmp_path / "here" / name / "__init__.py").write_text("raise SystemExit('not ours')")
        script = (
            f"import sys; sys.path[0] = {str(site)!r}; from qrelsmith.console import main; main()"
        )
        kept = ("PATH", "QRELSMITH_CI_RUN", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        started = []

        def start(*arguments: str) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, "-c", script, *arguments],
                cwd=tmp_path / "here",
                env={**environment, "HOME": str(tmp_path / "home")},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            started.append(process)
            return process

        yield start
        for process in started:
            process.kill()
            process.wait()

    def test_help_names_the_folder_of_the_data(self, qrelsmith, tmp_path):
        output, _ = qrelsmith().communicate(timeout=60)

        assert "qrelsmith demo [--port PORT]" in output
        assert f"Data are in {tmp_path}/home/.local/share/qrelsmith." in output
        assert "  create_collection " in output

    def test_an_error_names_the_command_that_helps(self, qrelsmith):
        output, _ = qrelsmith("run_retrievers", "small", "bm25").communicate(timeout=60)

        assert "The database has no tables yet. Run `qrelsmith migrate`." in output

    # Loading the demo collection and starting its processes takes 8 s of CPU.
    @pytest.mark.faults
    @pytest.mark.by_day(3)
    def test_the_demo_runs_and_keeps_its_data_in_the_home_folder(self, qrelsmith, tmp_path):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        demo = qrelsmith("demo", "--port", str(port))
        lines: list[str] = []
        wait_until(lambda: _read_on(demo, lines, "Press Ctrl-C to stop."), 120, "the demo")
        page = urlopen(f"http://127.0.0.1:{port}/accounts/login/").read().decode()
        for address in re.findall(r'(?:href|src)="(/static/[^"]+)"', page):
            assert urlopen(f"http://127.0.0.1:{port}{address}").status == 200
        taken, _ = qrelsmith("demo", "--port", str(port)).communicate(timeout=60)
        demo.send_signal(signal.SIGINT)
        rest, _ = demo.communicate(timeout=60)

        assert f"Port {port} is in use. Run `qrelsmith demo --port {port + 1}`" in taken
        assert "`qrelsmith demo` continues where you left off." in rest
        assert (tmp_path / "home/.local/share/qrelsmith/qrelsmith.sqlite3").exists()
        assert {path.name for path in (tmp_path / "here").iterdir()} == {"demo", "config", "web"}


def _read_on(process: subprocess.Popen[str], lines: list[str], words: str) -> bool:
    line = process.stdout.readline()
    lines.append(line)
    assert line or process.poll() is None, "".join(lines)
    return words in line


def test_every_room_is_named_for_the_wheel():
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    packed = tool["hatch"]["build"]["targets"]["wheel"]["only-include"]
    assert set(tool["importlinter"]["root_packages"]) <= set(packed)
