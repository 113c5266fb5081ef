"""The licences, the SBOMs and the files of a release."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from datetime import UTC, datetime

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from license_expression import ExpressionError

from tests.conftest import ROOT
from tests.supply import release
from tests.supply.licences import ALLOWED, is_allowed, problems
from tests.supply.packages import (
    InstalledPackage,
    declared_licence,
    installed_packages,
    required_packages,
)
from tests.supply.sbom import sbom_of

MOMENT = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("MIT AND Apache-2.0", True),
        ("Artistic-1.0 OR MIT", True),
        ("Artistic-1.0 AND MIT", False),
        ("MIT AND (Artistic-1.0 OR Zlib)", True),
        ("AGPL-3.0-only", False),
        ("Apache-2.0 WITH LLVM-exception", False),
        ("SSPL-1.0", False),
    ],
)
def test_an_expression_is_allowed_by_its_parts(expression, allowed):
    assert is_allowed(expression, ALLOWED) is allowed


def test_an_expression_that_is_none_is_an_error():
    with pytest.raises(ExpressionError):
        is_allowed("MIT AND (", ALLOWED)


@pytest.mark.parametrize(
    ("expression", "classifiers", "text", "declared"),
    [
        ("MIT", ["BSD License"], "GPL", "MIT"),
        ("", ["MIT License"], "", "MIT"),
        ("", ["MIT License", "Apache Software License"], "", "Apache-2.0 AND MIT"),
        ("", ["BSD License", "Other/Proprietary License"], "", ""),
        ("", ["OSI Approved"], "BSD-3-Clause", "BSD-3-Clause"),
        ("", [], "Permission is hereby granted, free of charge, to any person", ""),
        ("", [], "", ""),
    ],
)
def test_a_licence_is_read_from_the_most_precise_field(expression, classifiers, text, declared):
    assert declared_licence(expression, classifiers, text) == declared


def test_unknown_and_refused_licences_and_idle_exceptions_are_problems():
    packages = {
        InstalledPackage(name, "1.0", licence, ()): ALLOWED
        for name, licence in [("a", "MIT"), ("b", ""), ("c", "SSPL-1.0"), ("d", "Custom (")]
    }

    found = list(problems(packages, ["e"]))

    assert [problem.split()[0] for problem in found] == ["b", "c", "d", "e"]
    assert found[0] == "b 1.0 names no licence. Read its files, and add an exception."


def test_an_sbom_is_valid_and_lists_every_package_of_the_lock_with_its_licence():
    text = sbom_of("demo", MOMENT)
    bom = json.loads(text)
    packages = installed_packages("demo")

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert [(each["name"], each["version"]) for each in bom["components"]] == [
        (package.name, package.version) for package in packages
    ]
    assert all(each["licenses"] for each in bom["components"])
    assert bom["metadata"]["component"]["name"] == "qrelsmith"
    assert text == sbom_of("demo", MOMENT)


@pytest.mark.parametrize("lock", ["demo", "server", "dev"])
def test_every_package_of_a_lock_is_required_by_another(lock):
    graph = required_packages(lock)
    names = {package.name for package in installed_packages(lock)}

    assert set().union(*graph.values()) == names
    assert "django" in graph[""]
    assert "sqlparse" in graph["django"]


def test_a_release_needs_a_tag_and_a_clean_folder(monkeypatch):
    answers = {"status": b"", "tag": b"v9.9\n"}
    monkeypatch.setattr(release, "git", lambda command, *_: answers[command])

    assert "has no tag" in release.refusal()
    answers["tag"] = f"other\nv{release.VERSION}\n".encode()
    assert release.refusal() == ""
    answers["status"] = b" M manage.py\n"
    assert "not committed" in release.refusal()


@pytest.mark.by_day(2)  # it builds a wheel and two SBOMs
def test_the_files_of_a_release_are_those_of_the_commit_with_checksums(tmp_path, capsys):
    release.write_files(tmp_path / "dist")

    folder = tmp_path / "dist"
    sums = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert sums == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.name != "SHA256SUMS"
    }
    assert set(sums) == {
        *("constraints.txt", "requirements.lock", "requirements-server.lock"),
        *("sbom-demo.json", "sbom-server.json", f"qrelsmith-{release.VERSION}-py3-none-any.whl"),
    }
    committed = subprocess.run(
        ["git", "show", "HEAD:requirements.lock"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    assert (folder / "requirements.lock").read_bytes() == committed
    pins = re.findall(rb"^[\w.-]+==\S+", committed, re.MULTILINE)
    assert len((folder / "constraints.txt").read_text().splitlines()) == len(pins) > 50
    assert "--hash" not in (folder / "constraints.txt").read_text()
