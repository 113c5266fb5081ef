"""`trec/`: qrels and topics as trec_eval and its successors read them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree

from release.formats import Files, release_format
from release.tables import Row, Tables

NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # XML 1.0 has no way to write them


@release_format("trec")
def trec(tables: Tables) -> Files:
    """A file with all labels, one for each facet with a label (tools refuse empty qrels), and the topics."""
    files = {"trec/qrels.all.txt": qrels(tables.qrels)}
    for facet in sorted({label["facet"] for label in tables.qrels} - {""}):
        files[f"trec/qrels.{facet}.txt"] = qrels(label for label in tables.qrels if label["facet"] == facet)
    asked = [query for query in tables.queries if query["text"]]
    if asked:
        files["trec/topics.tsv"] = "".join(f"{query['name']}\t{query['text']}\n" for query in asked).encode()
        files["trec/topics.xml"] = topics_xml(asked)
    return files


def qrels(labels: Iterable[Row]) -> bytes:
    """`<query id> 0 <docno> <grade>`, by query id, then docno."""
    return "".join(f"{label['query']} 0 {label['docno']} {label['grade']}\n" for label in labels).encode()


def topics_xml(queries: Iterable[Row]) -> bytes:
    """Empty parts are left out. The description of a query paper is what it is a query about."""
    root = ElementTree.Element("topics")
    for query in queries:
        topic = ElementTree.SubElement(root, "topic", number=query["name"])
        parts = {"title": query["title"], "description": " ".join(query["sentences"]), "narrative": query["narrative"]}
        for name, text in parts.items():
            if text:
                ElementTree.SubElement(topic, name).text = NOT_IN_XML.sub(" ", text)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True) + b"\n"
