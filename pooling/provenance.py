"""The origin of pooled documents: the source that no run is, and digests of manifests. Pure.

docs/manifest.md specifies the digests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corpus.digests import json_digest

# The source of candidates, and of the manifest, in pools made of documents judged elsewhere.
IMPORTED = "imported"


def digest_of(manifest: Mapping[str, Any]) -> str:
    """SHA-256 (hex) of a manifest without its own digest and without the lists of documents.

    The digests of the pools cover the documents.
    """
    pools = manifest["pools"]
    papers = {
        docno: {key: value for key, value in facts.items() if key != "documents"}
        for docno, facts in pools["query_papers"].items()
    }
    unsigned = {key: value for key, value in manifest.items() if key != "sha256"}
    content = unsigned | {"pools": pools | {"query_papers": papers}}
    return json_digest(content)


def stated_digest(manifest: Mapping[str, Any]) -> str:
    """The digest by which a round names a build. Imported pools have no digest of their own."""
    own = manifest.get("sha256")
    return own if isinstance(own, str) else json_digest(manifest)


def pooled_digest(docnos: Sequence[str]) -> str:
    """SHA-256 (hex) of a pool's documents in order, as canonical JSON."""
    return json_digest(list(docnos))
