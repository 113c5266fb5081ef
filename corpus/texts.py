"""Values made from a document's text. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from json.encoder import encode_basestring as _spelled

# Made once: json.dumps makes a new encoder at each call that asks for anything but its defaults.
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical_json(value: object) -> bytes:
    """The one spelling of a JSON value that digests are taken of: sorted keys, no spaces, UTF-8."""
    return _CANONICAL.encode(value).encode()


def text_digest(title: str, sentences: Sequence[str], labels: Sequence[str]) -> str:
    """SHA-256 (hex) of what a reader sees of a document: of [title, sentences, labels] as JSON."""
    # The same bytes as canonical_json's, in a third of the time: an import takes a million digests.
    spelled = f"[{_spelled(title)},{_listed(sentences)},{_listed(labels)}]"
    return hashlib.sha256(spelled.encode()).hexdigest()


def _listed(texts: Sequence[str]) -> str:
    return f"[{','.join(map(_spelled, texts))}]"
