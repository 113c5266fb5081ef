"""Digests of documents, and the canonical JSON they are computed from. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from json.encoder import encode_basestring as _json_string

# Made once, because json.dumps makes a new encoder for each call with other than default options.
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical_json(value: object) -> bytes:
    """The JSON form that digests are computed from: sorted keys, no spaces, UTF-8."""
    return _CANONICAL.encode(value).encode()


def json_digest(value: object) -> str:
    """SHA-256 (hex) of the canonical JSON."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def text_digest(title: str, sentences: Sequence[str], labels: Sequence[str]) -> str:
    """SHA-256 (hex) of [title, sentences, labels] as JSON: the text that a judge sees."""
    # The same bytes as canonical_json gives, in a third of the time. An import may need a million.
    text = f"[{_json_string(title)},{_json_array(sentences)},{_json_array(labels)}]"
    return hashlib.sha256(text.encode()).hexdigest()


def topic_digest(title: str, description: str, narrative: str) -> str:
    """SHA-256 (hex) of a topic's texts without white space, to find the same topic again."""
    if not title:
        title, description = description, ""
    return json_digest(["".join(text.split()) for text in (title, description, narrative)])


def _json_array(texts: Sequence[str]) -> str:
    return f"[{','.join(map(_json_string, texts))}]"
