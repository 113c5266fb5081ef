"""What an installation stands on: settings, lock files, compose file, documented variables."""

from __future__ import annotations

import ast
import importlib.resources
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from accounts.institution.configuration import VARIABLES
from tests.support.running import ROOT

PRODUCTION = {
    "QRELSMITH_MODE": "production",
    "SECRET_KEY": "8Xb4kP0sYqLr2VnTz6WdJh1GmCf9EaUi7OoRx3SvNtKyBpDwQjHgZlMeIcAu5F",
    "ALLOWED_HOSTS": "qrelsmith.example",
    "EMAIL_URL": "smtp://mail.qrelsmith.example",
}
# The deployment check and the settings in one process, because each start takes seconds.
CHECK_AND_SHOW = (
    "shell",
    "-v0",
    "-c",
    "from django.conf import settings as s\n"
    "from django.core.management import call_command\n"
    "call_command('check', deploy=True, fail_level='WARNING')\n"
    "hsts = f'{s.SECURE_HSTS_INCLUDE_SUBDOMAINS} {s.SECURE_HSTS_PRELOAD}'\n"
    "print(f'HSTS {hsts}, debug {s.DEBUG}')",
)
LOCKS = ("requirements.lock", "requirements-server.lock", "requirements-dev.lock")
READERS = {"_flag", "_words", "_number"}


def manage(*arguments: str, data_dir, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "DATA_DIR": str(data_dir), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


class TestProduction:
    def test_the_deployment_check_finds_nothing_and_hsts_holds_for_this_host_alone(self, tmp_path):
        done = manage(*CHECK_AND_SHOW, data_dir=tmp_path, **PRODUCTION)

        assert done.returncode == 0, done.stderr
        # HSTS for subdomains and preloading
        assert "no issues (2 silenced)" in done.stdout
        assert "HSTS False False, debug False" in done.stdout
        assert not (tmp_path / "secret_key").exists(), "it wrote a key of its own"

    @pytest.mark.by_day(2)
    def test_a_proxy_without_a_trusted_number_of_proxies_is_a_warning(self, tmp_path):
        check = ("check", "--deploy", "--fail-level", "WARNING")

        refused = manage(*check, data_dir=tmp_path, **PRODUCTION, BEHIND_PROXY="1")

        assert refused.returncode != 0
        assert "(accounts.W001) BEHIND_PROXY is 1 but TRUSTED_PROXIES is 0" in refused.stderr

    @pytest.mark.by_day(2)
    def test_proxies_and_hsts_can_be_chosen_and_debug_cannot(self, tmp_path):
        proxies = {"BEHIND_PROXY": "1", "TRUSTED_PROXIES": "1"}
        hsts = {"SECURE_HSTS_INCLUDE_SUBDOMAINS": "1", "SECURE_HSTS_PRELOAD": "1"}

        done = manage(
            *CHECK_AND_SHOW, data_dir=tmp_path, **PRODUCTION, **proxies, **hsts, DEBUG="1"
        )

        assert done.returncode == 0, done.stderr
        assert "HSTS True True, debug False" in done.stdout

    @pytest.mark.parametrize("name", ["SECRET_KEY", "ALLOWED_HOSTS"])
    def test_it_does_not_start_without(self, name, tmp_path):
        done = manage("check", data_dir=tmp_path, **{**PRODUCTION, name: ""})
        assert done.returncode != 0
        assert f"{name} is missing" in done.stderr

    def test_a_value_that_cannot_be_read_names_its_variable(self, tmp_path):
        done = manage("check", data_dir=tmp_path, JOB_STALE_SECONDS="soon")
        assert "JOB_STALE_SECONDS must be a whole number, got 'soon'" in done.stderr


class TestHealth:
    def test_it_answers_without_session_tls_or_host_name(self, client, db):
        answer = client.get("/healthz", headers={"host": "10.0.0.7"})
        assert (answer.status_code, answer.content) == (200, b"ok\n")

    def test_it_says_when_the_database_is_out_of_reach(self, client):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("server.probes.connection", Unreachable())
            answer = client.get("/healthz")
        assert (answer.status_code, answer.content) == (503, b"no database\n")


class Unreachable:
    def cursor(self):
        from django.db import OperationalError

        raise OperationalError("connection refused")


class TestEnvironment:
    def test_every_variable_is_documented_and_no_other(self):
        documented = set(re.findall(r"^#?([A-Z][A-Z_]+)=", read(".env.example"), re.MULTILINE))
        assert documented == settings_variables() | compose_variables() | VARIABLES | {"PORT"}

    def test_every_variable_has_an_explanation_above_it(self):
        lines = read(".env.example").splitlines()
        for above, line in pairwise(lines):
            if re.match(r"#?[A-Z_]+=", line):
                assert above.startswith("# ") or re.match(r"#?[A-Z_]+=", above), line


def settings_variables() -> set[str]:
    """Names that settings.py takes from the environment, read off its syntax tree."""
    calls = [
        node
        for node in ast.walk(ast.parse(read("config/settings.py")))
        if isinstance(node, ast.Call)
    ]
    names = {"DATABASE_URL"} if "dj_database_url.config" in map(callee, calls) else set()
    for call in calls:
        reads = callee(call) in READERS | {"os.environ.get"}
        if reads and isinstance(call.args[0], ast.Constant):
            names.add(call.args[0].value)
    return names


def callee(call: ast.Call) -> str:
    return ast.unparse(call.func)


def compose_variables() -> set[str]:
    return set(re.findall(r"\$\{([A-Z_]+)", read("docker-compose.yml")))


class TestCompose:
    @pytest.fixture
    def compose(self):
        return yaml.safe_load(read("docker-compose.yml"))

    def test_it_follows_the_compose_specification(self, compose):
        from jsonschema.validators import validator_for  # 2 s, of each worker that collects

        vendored = importlib.resources.files("check_jsonschema.builtin_schemas.vendor")
        schema = json.loads((vendored / "compose-spec.json").read_text())
        validator = validator_for(schema)(schema)
        assert [error.message for error in validator.iter_errors(compose)] == []

    def test_web_and_worker_share_data_and_settings(self, compose):
        web, worker = compose["services"]["web"], compose["services"]["worker"]
        for shared in ("image", "volumes", "environment", "env_file"):
            assert web[shared] == worker[shared]

    def test_web_processes_share_a_cache_and_know_of_the_proxy(self, compose):
        environment = compose["services"]["web"]["environment"]
        assert environment["REDIS_URL"].startswith("redis://broker:")
        assert environment["REDIS_URL"] != environment["CELERY_BROKER_URL"]
        assert environment["TRUSTED_PROXIES"] == "${TRUSTED_PROXIES:-1}"

    def test_volumes_and_dependencies_exist(self, compose):
        for service in compose["services"].values():
            assert set(service.get("depends_on", {})) <= set(compose["services"])
            named = {volume.partition(":")[0] for volume in service.get("volumes", [])}
            assert {name for name in named if not name.startswith("./")} <= set(compose["volumes"])

    def test_nothing_runs_as_root(self):
        steps = re.findall(r"^(USER|CMD|ENTRYPOINT) *(.*)$", read("Dockerfile"), re.MULTILINE)
        assert [step for step, _ in steps] == ["USER", "CMD"]
        assert steps[0][1] not in {"root", "0"}

    def test_documented_processes_are_those_of_the_containers(self, compose):
        documented = " ".join(read("docs/deployment.md").split())
        worker = [word for word in compose["services"]["worker"]["command"] if "level" not in word]
        assert " ".join(word for word in worker if word != "INFO") in documented


class TestUnits:
    @pytest.fixture
    def folder(self, tmp_path) -> Path:
        """The units of the docs, whose programs are there. Their account is that of this test."""
        programs = tmp_path / "app" / ".venv" / "bin"
        programs.mkdir(parents=True)
        for name in ("python", "gunicorn", "celery"):
            (programs / name).symlink_to(sys.executable)
        documented = read("docs/deployment.md") + read("docs/backups.md")
        found = re.findall(r"system/(qrelsmith-\S+)`.*?```text\n(.+?)```", documented, re.DOTALL)
        for name, unit in found:
            unit = unit.replace("/srv/qrelsmith/app", f"{tmp_path}/app")
            (tmp_path / name).write_text(unit.replace("User=qrelsmith\n", ""))
        return tmp_path

    def test_systemd_finds_nothing_wrong_with_the_documented_units(self, folder):
        units = sorted(folder.glob("qrelsmith-*"))
        assert [path.name for path in units] == [
            "qrelsmith-backup.service",
            "qrelsmith-backup.timer",
            "qrelsmith-web@.service",
            "qrelsmith-worker.service",
        ]
        for path in units:
            if path.name != "qrelsmith-backup.service":  # the timer starts it
                assert "[Install]" in path.read_text()
        if not shutil.which("systemd-analyze"):
            pytest.skip("needs systemd")
        command = ["systemd-analyze", "verify", "--man=no", *map(str, units)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout + done.stderr) == (0, "")

    def test_their_processes_are_those_of_the_containers(self, folder):
        web = read("Dockerfile").rpartition("CMD ")[2]
        unit = (folder / "qrelsmith-web@.service").read_text()
        command = " ".join(json.loads(web)).replace("0.0.0.0:8000", "127.0.0.1:%i")
        assert f"ExecStart={folder}/app/.venv/bin/{command}\n" in unit


class TestLocks:
    def test_no_address_is_named(self):
        for name in LOCKS:
            assert not re.search(r"://|--(extra-)?index|--find-links|file:|\s@\s", read(name)), name

    def test_every_requirement_is_pinned_and_hashed(self):
        for name in LOCKS:
            for requirement in pins(name).values():
                assert re.match(r"\S+==\S+", requirement), requirement
                assert re.search(r"--hash=sha256:[0-9a-f]{64}", requirement), requirement

    def test_each_lock_holds_all_of_the_one_before(self):
        """With the same hashes. A marker may be wider, because more packages need the package."""
        for smaller, larger in pairwise(map(hashes, LOCKS)):
            assert smaller.items() <= larger.items()

    def test_the_locks_hold_what_the_project_asks_for(self):
        project = tomllib.loads(read("pyproject.toml"))["project"]
        extras = project["optional-dependencies"]
        asked = {
            "requirements.lock": project["dependencies"],
            "requirements-server.lock": extras["server"] + extras["models"] + extras["word2vec"],
            "requirements-dev.lock": extras["dev"],
        }
        for lock, requirements in asked.items():
            wanted = {
                re.match(r"[A-Za-z0-9_.-]+", requirement)[0].lower() for requirement in requirements
            }
            assert wanted <= {re.split(r"\[|==", pin)[0] for pin in pins(lock)}


def pins(name: str) -> dict[str, str]:
    """Each pin, with its environment marker, to itself with all its hashes."""
    lines = [line for line in read(name).splitlines() if not line.lstrip().startswith("#")]
    requirements = re.split(r"\n(?=\S)", "\n".join(lines).strip())
    return {pin.partition(" \\\n")[0]: pin for pin in requirements}


def hashes(name: str) -> dict[str, list[str]]:
    """Each pin, without its marker, to its hashes."""
    found: dict[str, list[str]] = {}
    for pin, text in pins(name).items():
        found.setdefault(pin.partition(" ;")[0], []).extend(re.findall("sha256:[0-9a-f]+", text))
    return found


def test_no_file_names_a_registry():
    """Which index or mirror an installation uses is its own affair."""
    registries = ("pypi.", "pythonhosted.", "npmjs.", "debian.", "docker.", "ghcr.", "quay.")
    hosts = "|".join(re.escape(name) + "(?:org|com|io)" for name in registries)
    naming = re.compile(rf"\b(?:{hosts})\b|https?://[^\s\"']*/simple\b")
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    for name in filter(None, tracked.split("\0")):
        path = ROOT / name
        if path.is_file():
            found = naming.search(path.read_text(errors="replace"))
            assert found is None, f"{name} names {found and found[0]}"


def read(name: str) -> str:
    return (ROOT / name).read_text()
