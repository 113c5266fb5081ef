"""Analysis of a text into the words that BM25 and TF-IDF compare. Pure.

An analysis is a part of a retriever's name (`bm25_text.english`), so it is in the name of its run,
in the run's parameters and in the key of its index. A name without one means `plain`.

`plain` leaves each retriever its own words, without stemming and stop words. It works for every
language that puts spaces between words. A language has a Snowball stemmer and, for most, a list of
stop words, both from tantivy. `characters` is for scripts without spaces between words: single
characters and pairs of neighbours, because tantivy has no segmenter. Words of other scripts in the
same text stay words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import tantivy

PLAIN_NAME, CHARACTERS = "plain", "characters"
STEM, STOP = "_stem", "_stop"  # endings of names: only stemming, only stop words
_WITHOUT_STOP_WORDS = {"arabic", "greek", "romanian", "tamil", "turkish"}
_LANGUAGES = (
    "arabic", "danish", "dutch", "english", "finnish", "french", "german", "greek", "hungarian",
    "italian", "norwegian", "portuguese", "romanian", "russian", "spanish", "swedish", "tamil",
    "turkish",
)  # fmt: skip
# Languages of tantivy's stemmer; True if it also has stop words.
LANGUAGES: Mapping[str, bool] = {name: name not in _WITHOUT_STOP_WORDS for name in _LANGUAGES}
# Scripts without spaces between words, and Korean, whose endings are written onto its words:
# Thai, Lao, Burmese, Khmer, kana, Han, Hangul.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u1049\u1780-\u17d3\u3005-\u3007\u3041-\u3096"
    "\u30a1-\u30fa\u30fc\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff"
)
_RUN_OR_WORD = re.compile(f"[{_UNSPACED}]+|[^\\W_{_UNSPACED}]+")
_STARTS_UNSPACED = re.compile(f"[{_UNSPACED}]")


class NoSuchAnalysis(ValueError):
    """No analysis has this name; the message lists the names."""


@dataclass(frozen=True)
class Analysis:
    """The words of a text. `language` is "" if words are neither stemmed nor left out."""

    name: str
    language: str = ""
    stemming: bool = False
    stop_words: bool = False

    @property
    def suffix(self) -> str:
        """The ending that the analysis adds to a retriever's name."""
        return "" if self.name == PLAIN_NAME else f".{self.name}"

    @property
    def parameters(self) -> dict[str, object]:
        """The parameters of a run's words; empty for `plain`, the retriever's own words."""
        if self.name == PLAIN_NAME:
            return {}
        return {
            "analysis": self.name,
            "tokens": "characters and pairs of them, or words, lower case, NFKC"
            if self.name == CHARACTERS
            else "letters and digits, lower case, NFKC",
            "stemming": self.language if self.stemming else False,
            "stop_words": self.language if self.stop_words else False,
        }

    def prepared(self, text: str) -> str:
        """The text that `analyzer` splits into words."""
        if self.name == PLAIN_NAME:
            return text
        text = unicodedata.normalize("NFKC", text)
        return _spaced_characters(text) if self.name == CHARACTERS else text

    def words(self, text: str) -> list[str]:
        """The words of a text in order, with repetitions."""
        words: list[str] = self.analyzer.analyze(self.prepared(text))
        return words

    @cached_property
    def analyzer(self) -> tantivy.TextAnalyzer:
        tokenizer = tantivy.Tokenizer
        by_spaces = self.name == CHARACTERS
        builder = tantivy.TextAnalyzerBuilder(
            tokenizer.whitespace() if by_spaces else tokenizer.simple()
        ).filter(tantivy.Filter.lowercase())
        if self.stop_words:
            builder = builder.filter(tantivy.Filter.stopword(self.language))
        if self.stemming:
            builder = builder.filter(tantivy.Filter.stemmer(self.language))
        return builder.build()


def _spaced_characters(text: str) -> str:
    words: list[str] = []
    for word in _RUN_OR_WORD.findall(text):
        if _STARTS_UNSPACED.match(word):
            words += word
            words += (word[start : start + 2] for start in range(len(word) - 1))
        else:
            words.append(word)
    return " ".join(words)


def _of_language(language: str) -> list[Analysis]:
    if not LANGUAGES[language]:
        return [Analysis(language, language, stemming=True)]
    return [
        Analysis(language, language, stemming=True, stop_words=True),
        Analysis(f"{language}{STEM}", language, stemming=True),
        Analysis(f"{language}{STOP}", language, stop_words=True),
    ]


PLAIN = Analysis(PLAIN_NAME)
ANALYSES: Mapping[str, Analysis] = {
    analysis.name: analysis
    for analysis in (
        PLAIN,
        *(analysis for language in LANGUAGES for analysis in _of_language(language)),
        Analysis(CHARACTERS),
    )
}


def analysis_named(name: str) -> Analysis:
    """The analysis with this name. Raises NoSuchAnalysis."""
    analysis = ANALYSES.get(name)
    if analysis is None:
        raise NoSuchAnalysis(f"Unknown analysis {name!r}; use {', '.join(ANALYSES)}.")
    return analysis


def analysis_choices() -> list[tuple[str, str]]:
    """The name of every analysis with its title, for a form."""
    return [(name, _title(analysis)) for name, analysis in ANALYSES.items()]


def _title(analysis: Analysis) -> str:
    if analysis.language:
        parts = [
            *(["stemming"] if analysis.stemming else []),
            *(["stop words"] if analysis.stop_words else []),
        ]
        return f"{analysis.language.capitalize()}: {' and '.join(parts)}"
    if analysis.name == CHARACTERS:
        return "Chinese, Japanese, Korean, Thai: characters and pairs of characters"
    return "Any language: words as they are written"
