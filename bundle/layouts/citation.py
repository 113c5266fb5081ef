"""`CITATION.cff` and `.zenodo.json`: how to cite the release, and what an archive asks for.

Both have no other day than the one that the admin wrote, because the same state gives the same
bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from bundle.content import Content, FileNote, Files
from bundle.datasheet.answers import Author, doi_of, keywords_of, read_authors, web_address_of
from bundle.formats import records as formats
from bundle.licences import SPDX_IDENTIFIERS
from bundle.snapshot import Snapshot
from bundle.zip.draft_files import DraftFolder

FILES = (
    FileNote("CITATION.cff", "how to cite this version, for GitHub and for citation managers"),
    FileNote(".zenodo.json", "the description that Zenodo reads"),
)
DESCRIPTION = "A test collection for information retrieval."
MESSAGE = "Cite this version of the test collection with these data."
KEYWORDS = ("information retrieval", "test collection")
NOT_IN_YAML = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def write(folder: DraftFolder, content: Content) -> Files:
    return {
        "CITATION.cff": _citation(content).encode(),
        ".zenodo.json": formats.write_json(_deposit(content)),
    }


def authors_of(snapshot: Snapshot) -> tuple[Author, ...]:
    """The authors that the admin named for publication; otherwise the collection itself."""
    named = read_authors(snapshot.datasheet.answers.get("authors", ""))
    return named or (Author(snapshot.collection.name),)


def keywords(snapshot: Snapshot) -> list[str]:
    return keywords_of(snapshot.datasheet.answers.get("keywords", "")) or list(KEYWORDS)


def _citation(content: Content) -> str:
    """The Citation File Format 1.2.0. A text in JSON's quotes is a text in YAML's."""
    snapshot = content.snapshot
    answers = snapshot.datasheet.answers
    address = answers.get("address", "")
    doi = doi_of(address)
    fields: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": MESSAGE,
        "type": "dataset",
        "title": snapshot.collection.name,
        "version": content.version,
        "abstract": snapshot.collection.description,
        "authors": [_cff_author(author) for author in authors_of(snapshot)],
        "license": _spdx(snapshot.collection.licence),
        "doi": doi,
        "url": "" if doi else web_address_of(address),
        "date-released": answers.get("released_on", ""),
        "keywords": keywords(snapshot),
    }
    return "".join(_yaml({name: value for name, value in fields.items() if value}))


def _cff_author(author: Author) -> dict[str, str]:
    orcid = {"orcid": f"https://orcid.org/{author.orcid}"} if author.orcid else {}
    if not author.given:
        return {"name": author.family, **orcid}
    person = {"family-names": author.family, "given-names": author.given}
    return {
        **person,
        **({"affiliation": author.affiliation} if author.affiliation else {}),
        **orcid,
    }


def _spdx(licence: str) -> str:
    return licence if licence in SPDX_IDENTIFIERS else ""


def _yaml(fields: Mapping[str, Any]) -> Iterator[str]:
    for name, value in fields.items():
        if isinstance(value, str):
            yield f"{name}: {_quoted(value)}\n"
            continue
        yield f"{name}:\n"
        for item in value:
            if isinstance(item, str):
                yield f"  - {_quoted(item)}\n"
            else:
                lines = (f"{key}: {_quoted(text)}\n" for key, text in item.items())
                yield "  - " + "    ".join(lines)


def _quoted(text: str) -> str:
    return json.dumps(NOT_IN_YAML.sub(" ", text), ensure_ascii=False)


def _deposit(content: Content) -> dict[str, Any]:
    """The fields of Zenodo's deposit metadata (https://developers.zenodo.org)."""
    snapshot = content.snapshot
    answers = snapshot.datasheet.answers
    paper = doi_of(answers.get("paper", ""))
    fields: dict[str, Any] = {
        "title": f"{snapshot.collection.name}, version {content.version}",
        "upload_type": "dataset",
        "description": _description(snapshot),
        "creators": [_zenodo_creator(author) for author in authors_of(snapshot)],
        "version": content.version,
        "keywords": keywords(snapshot),
        "license": _spdx(snapshot.collection.licence).lower(),
        "publication_date": answers.get("released_on", ""),
        "related_identifiers": [{"identifier": paper, "relation": "isDescribedBy", "scheme": "doi"}]
        if paper
        else [],
    }
    return {name: value for name, value in fields.items() if value}


def _zenodo_creator(author: Author) -> dict[str, str]:
    fields = {"name": author.name, "affiliation": author.affiliation, "orcid": author.orcid}
    return {name: value for name, value in fields.items() if value}


def _description(snapshot: Snapshot) -> str:
    """Zenodo shows HTML. It has one field for the licence, so both licences are here in words."""
    collection = snapshot.collection
    parts = [collection.description or DESCRIPTION]
    parts.append(f"Licence of the judgments: {collection.licence or 'none is stated'}.")
    if snapshot.options.texts.included:
        parts.append(f"Licence of the texts: {collection.corpus_licence or 'none is stated'}.")
    return "".join(f"<p>{escape(part)}</p>" for part in parts)
