"""Only features of extras import what `make demo` does not install, and they say what they need."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from corpus.services import create_query
from jobs.context import DirectRun
from retrieval.errors import RetrievalError
from retrieval.services import retrieve
from tests import rooms
from tests.conftest import ROOT
from tests.supply.packages import installed_packages
from tests.support.factories import DocumentFactory, a_collection

# What a caller catches, or asks for before.
OPTIONAL = {
    "gensim": "retrieval/retrievers/word2vec.py",
    "openai": "evaluation/shadow_judges/asking/client.py",
    "sentence-transformers": "corpus/encoder_models.py",
    "botocore": ("config/settings.py", "web/stored_files.py"),
    "pyjwt": "accounts/institution/oidc.py",
    "python3-saml": "accounts/institution/saml.py",
    "xmlsec": "accounts/institution/saml.py",  # which python3-saml installs
    "ir-datasets": "corpus/formats/ir_datasets_source.py",
    "prometheus-client": "server/metrics/",
    "sentry-sdk": "server/error_reports.py",
}
# Their imports are for the readers of a release.
TEXTS_OF_RELEASES = (("readme",), ("reader_scripts",))


def test_only_the_features_of_extras_import_what_the_demo_does_not_install():
    of_demo = {package.name for package in installed_packages("demo")}
    packages = importlib.metadata.packages_distributions()
    others = {
        (name, module.as_posix())
        for module in rooms.program()
        if module.parts[1:2] not in TEXTS_OF_RELEASES
        for imported in imports_of(ROOT / module)
        if (names := {canonicalize_name(name) for name in packages.get(imported, ())})
        and not names & of_demo
        for name in names
    }

    wrong = {(name, at) for name, at in others if not at.startswith(OPTIONAL.get(name, "nowhere"))}
    assert not wrong
    assert {"gensim", "openai"} <= {name for name, _ in others}


def imports_of(module: Path) -> set[str]:
    return set(re.findall(r"^ *(?:import|from) (\w+)", module.read_text(), re.MULTILINE))


@pytest.mark.django_db
def test_a_retriever_says_that_gensim_is_missing(monkeypatch):
    collection = a_collection()
    for docno in ("q1", "q2"):
        DocumentFactory(collection=collection, docno=docno, labels=["method"], sentences=["Old."])
    create_query(collection=collection, docno="q1", facet_key="method")
    monkeypatch.setitem(sys.modules, "gensim", None)

    with pytest.raises(RetrievalError, match=r"needs the package gensim, .* pip install gensim"):
        retrieve(collection=collection, name="cbow_title", depth=10, work=DirectRun())
