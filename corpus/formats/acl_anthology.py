"""The ACL Anthology's own data: an XML file for each collection of proceedings. Pure.

Its export in BibTeX is read by `corpus.formats.bibtex`. Both give a paper the same id and year.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO
from xml.etree.ElementTree import Element

from corpus.formats.decompression import Meter
from corpus.formats.document_lines import (
    DocumentValues,
    FileItem,
)
from corpus.formats.xml_records import read_xml_records, text_of

ROOT = "collection"


def read_acl(
    source: Path | BinaryIO, name: str, meter: Meter, columns: Mapping[str, str]
) -> Iterator[FileItem]:
    """The papers of a file, with the first line of each. Raises as `read_xml_records`."""
    volume: Element | None = None
    for line, element, around in read_xml_records(source, name, meter, {"paper", "meta"}):
        if element.tag == "meta":
            volume = element
            continue
        collection, volume_id = (around.get(tag, {}).get("id", "") for tag in (ROOT, "volume"))
        yield FileItem(line, from_acl(element, volume, collection, volume_id))


def from_acl(
    paper: Element, volume: Element | None, collection: str, volume_id: str
) -> DocumentValues:
    """The object of docs/formats.md for a <paper>. `volume` is the <meta> of its volume."""
    about = Element("meta") if volume is None else volume
    year = text_of(about.find("year"))
    return {
        "docno": _paper_id(paper, collection, volume_id),
        "title": text_of(paper.find("title")),
        "abstract": text_of(paper.find("abstract")),
        "year": int(year) if year.isascii() and year.isdigit() else None,
        "venue": text_of(about.find("journal-title")) or text_of(about.find("booktitle")),
        "authors": [_author(author) for author in paper.iterfind("author")],
        "language": text_of(paper.find("language")),
        "has_full_text": paper.find("url") is not None,
    }


def _paper_id(paper: Element, collection: str, volume: str) -> str | None:
    """The Anthology's id, which its <url> holds: 2022.acl-long.1, or P19-1002 before 2020."""
    url = text_of(paper.find("url"))
    if url and ":" not in url:
        return url
    number = paper.get("id", "")
    if not (collection and volume and number):
        return None
    if "." in collection:
        return f"{collection}-{volume}.{number}"
    # Workshops have two digits of volume and two of paper, proceedings one and three.
    is_workshop = collection[0] == "W" or collection == "C69"
    is_workshop = is_workshop or (collection == "D19" and volume.isdigit() and int(volume) >= 5)
    together = f"{volume:0>2}{number:0>2}" if is_workshop else f"{volume}{number:0>3}"
    return f"{collection}-{together}"


def _author(author: Element) -> str:
    return " ".join(filter(None, (text_of(author.find(tag)) for tag in ("first", "last"))))
