"""The public page of a release: its content, its citation and its description for search engines.

Everything comes from the release itself, so the page of a version never changes. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from agreement.coefficients import COEFFICIENTS, Coefficient
from bundle.findings import AcceptedFinding
from bundle.licences import licence_url
from bundle.loading import Loading, files_used
from bundle.options import LabelSource
from bundle.readme.exceptions import describe_exception
from web.words import count_noun

STAGES = {"pre": "before", "asked": "after asking", "post": "after"}
BIBTEX_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{character: "\\" + character for character in "&%$#_{}"},
    }
)
# A browser would end the script at "</script>", and a comment could begin at "<!--".
HTML_SPECIAL = {ord(character): f"\\u{ord(character):04X}" for character in "<>&"}


def has_citation_labels(manifest: Mapping[str, Any]) -> bool:
    """Return whether the labels are citations."""
    labels: str = manifest["options"]["labels"]
    return labels == LabelSource.CITATIONS.value


def page_content(
    manifest: Mapping[str, Any], agreement: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The manifest's facts for the page, as JSON types, without its lists of queries.

    `agreement` is `facets` of the bundle's agreement report.
    """
    return {
        "software_version": manifest["software"]["version"],
        "name": manifest["collection"]["name"],
        "description": manifest["collection"]["description"],
        "licence": manifest["collection"]["licence"],
        "corpus_licence": manifest["collection"]["corpus_licence"],
        "facets": manifest["collection"]["facets"],
        "relevant_from": manifest["collection"]["relevant_from"],
        "counts": manifest["counts"],
        "folds": manifest["folds"],
        "scopes": manifest["scopes"],
        "is_sample": manifest.get("sample") is not None,
        "of_citations": has_citation_labels(manifest),
        "exceptions": [
            f"{describe_exception(AcceptedFinding(**entry))} Reason: {entry['reason']}"
            for entry in manifest["accepted"]
        ],
        "agreement": list(agreement),
        "files": files_used(manifest["files"]),
    }


class AgreementLine(NamedTuple):
    """The medians over the queries of a facet, before or after adjudication."""

    facet: str
    stage: str
    queries: int
    pairs: int
    medians: list[str]


def _median(row: Mapping[str, Any], coefficient: Coefficient) -> str:
    value: float | None = row["median"][coefficient.key]
    if value is None:
        return "undefined"
    return f"{value:.{coefficient.decimals}f}".replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True)
class Addresses:
    """Absolute addresses: of the page, of the zip and of the list of public releases."""

    page: str
    zip: str
    catalogue: str


@dataclass(frozen=True)
class PublicPage:
    """The page of one version. `content` is what `page_content` returned."""

    content: Mapping[str, Any]
    slug: str
    version: str
    published_on: date
    sha256: str
    size: int
    addresses: Addresses

    @property
    def title(self) -> str:
        return f"{self.content['name']}, version {self.version}"

    @property
    def file_stem(self) -> str:
        return f"{self.slug}-{self.version}"

    @property
    def licence_url(self) -> str:
        return licence_url(self.content["licence"])

    @property
    def corpus_licence_url(self) -> str:
        return licence_url(self.content["corpus_licence"])

    @property
    def facets(self) -> list[tuple[str, Mapping[str, Any]]]:
        """The counts of each facet, in the order of the collection, which jsonb does not keep."""
        counts = self.content["counts"]["facets"]
        return [(facet, counts[facet]) for facet in self.content["facets"]]

    @property
    def coefficients(self) -> list[Coefficient]:
        """Those that the bundle has: a later version of Qrelsmith may know more."""
        rows = self.content["agreement"]
        return [each for each in COEFFICIENTS if rows and each.key in rows[0]["median"]]

    @property
    def agreement(self) -> list[AgreementLine]:
        return [
            AgreementLine(
                row["facet"],
                STAGES[row["stage"]],
                row["queries"],
                row["pairs"],
                [_median(row, coefficient) for coefficient in self.coefficients],
            )
            for row in self.content["agreement"]
            if row["queries"]
        ]

    @property
    def pairs(self) -> int:
        """The pairs that both annotators judged."""
        return sum(numbers["pairs_judged"] for _, numbers in self.facets)

    @property
    def of_citations(self) -> bool:
        """True if the labels are citations."""
        return bool(self.content["of_citations"])

    @property
    def judgments(self) -> int:
        return 2 * self.pairs

    @property
    def summary(self) -> str:
        """A sentence with the sizes, for search engines and previews of links."""
        counts = self.content["counts"]
        return (
            "A test collection for information retrieval with "
            f"{count_noun(counts['queries_labelled'], 'query', 'queries')}, "
            f"{count_noun(counts['pooled_documents'], 'pooled candidate')} and "
            f"{count_noun(counts['labels'], 'relevance label')}."
        )

    @property
    def description(self) -> str:
        return " ".join(filter(None, [self.content["description"].strip(), self.summary]))

    @property
    def citation(self) -> str:
        """The citation of the bundle's README, with the address."""
        return (
            f"“{self.title}”, made with Qrelsmith {self.content['software_version']}, "
            f"{self.published_on.year}. {self.addresses.page} SHA-256: {self.sha256}"
        )

    @property
    def bibtex(self) -> str:
        key = re.sub(r"[^A-Za-z0-9]+", "-", self.file_stem)
        fields = {
            "title": f"{{{self.title.translate(BIBTEX_SPECIAL)}}}",
            "year": str(self.published_on.year),
            "url": self.addresses.page,
            "note": f"Made with Qrelsmith {self.content['software_version']}. "
            f"SHA-256 of the zip: {self.sha256}",
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
        return "\n".join([f"@misc{{{key},", *lines, "}"])

    @property
    def shell_commands(self) -> str:
        name = self.file_stem
        return (
            f"curl --fail --output {name}.zip {self.addresses.zip}\n"
            f'echo "{self.sha256}  {name}.zip" | sha256sum --check\n'
            f"unzip {name}.zip -d {name}"
        )

    @property
    def loading(self) -> Loading:
        return Loading(
            folder=self.file_stem,
            files=self.content["files"],
            relevant_from=self.content["relevant_from"],
            is_sample=self.content["is_sample"],
        )

    def dataset(self, server_name: str) -> dict[str, Any]:
        """The page as a schema.org Dataset."""
        texts = self.content["corpus_licence"]
        known = [self.licence_url or self.content["licence"], licence_url(texts) or texts]
        licences = list(dict.fromkeys(filter(None, known)))
        return {
            "@context": "https://schema.org/",
            "@type": "Dataset",
            "name": self.title,
            "description": self.description,
            "url": self.addresses.page,
            "version": self.version,
            "datePublished": self.published_on.isoformat(),
            **({"license": licences if len(licences) > 1 else licences[0]} if licences else {}),
            "identifier": f"sha256:{self.sha256}",
            "isAccessibleForFree": True,
            "keywords": [
                "information retrieval",
                "test collection",
                "citations" if self.of_citations else "relevance judgments",
                "qrels",
            ],
            "includedInDataCatalog": {
                "@type": "DataCatalog",
                "name": server_name,
                "url": self.addresses.catalogue,
            },
            "distribution": [
                {
                    "@type": "DataDownload",
                    "encodingFormat": "application/zip",
                    "contentUrl": self.addresses.zip,
                    "contentSize": f"{self.size} B",
                    "sha256": self.sha256,
                }
            ],
        }

    def linked_data(self, server_name: str) -> str:
        """The Dataset as JSON that is safe inside a script element."""
        return json.dumps(self.dataset(server_name), ensure_ascii=False).translate(HTML_SPECIAL)
