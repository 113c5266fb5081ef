"""A language in which every translated text is between ⟦ and ⟧, to find texts that are not.

It is written from right to left, as Arabic and Hebrew are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser

from django.apps import apps
from django.conf import settings
from django.test import override_settings
from django.utils.translation import trans_real

from web.languages.source_language import install

CODE = "ar-x-pseudo"
UNTRANSLATED = {"qrelsmith", "api", "aa", "csv", "id", "utc"}
ATTRIBUTES = {"title", "aria-label", "placeholder", "alt"}
WITHOUT_TEXT = {"script", "style", "kbd", "code", "meta", "link"}
VOID = {"input", "br", "meta", "link", "img", "hr", "rect", "circle", "line", "path"}


class Pseudo:
    """Stands for the catalogue of a language. It keeps the messages that pages asked for."""

    def __init__(self) -> None:
        self.asked: set[str] = set()

    def gettext(self, message: str) -> str:
        self.asked.add(message)
        return self._marked(message)

    def ngettext(self, one: str, many: str, number: int) -> str:
        self.asked.add(one)
        return self._marked(one if number == 1 else many)

    def untranslated(self) -> set[str]:
        """The messages, also of packages, that a real language does not have."""
        catalogues = [trans_real.DjangoTranslation(code)._catalog for code in ("de", "es")]
        return {
            message
            for message in self.asked
            for catalogue in catalogues
            if message and message not in catalogue and (message, 0) not in catalogue
        }

    def _marked(self, message: str) -> str:
        return f"⟦{message.rpartition(trans_real.CONTEXT_SEPARATOR)[2]}⟧" if message else ""

    def language(self) -> str:
        return CODE

    to_language = language


@contextmanager
def pseudo_language() -> Iterator[Pseudo]:
    with override_settings(LANGUAGES=[*settings.LANGUAGES, (CODE, "Pseudo")]):
        install()  # Django drops all catalogues when the languages change
        catalogue = trans_real._translations[CODE] = Pseudo()
        yield catalogue
    install()


def unmarked_texts(page: str, data: str) -> list[str]:
    """The texts and attributes of a page that are neither marked nor a part of the data."""
    reader = _Reader()
    reader.feed(page)
    parts = (part for text in reader.unmarked() for part in re.split(r"[·:\n]", text))
    return [part for part in parts if not _is_data(part, data)]


def _is_data(text: str, data: str) -> bool:
    words = re.sub(r"[\W\d_]+", " ", text).lower().split()
    plain = " ".join(word for word in words if word not in UNTRANSLATED)
    return plain in data


def stored_words() -> str:
    """All words in the database, to tell data from texts of pages."""
    values = (
        str(value)
        for model in apps.get_models()
        for row in model._default_manager.values_list()
        for value in row
        if isinstance(value, str | list | dict)
    )
    words = re.sub(r"[\W\d_]+", " ", " ".join(values))
    return " ".join(words.split()).lower()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.attributes: list[str] = []
        self.skipped: list[bool] = []  # of each open element: whether its texts count

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        in_other = "lang" in given and tag != "html"
        skipped = tag in WITHOUT_TEXT or in_other or bool(self.skipped and self.skipped[-1])
        if not skipped:
            self.attributes += [given[name] for name in ATTRIBUTES & set(given)]
        if tag not in VOID:
            self.skipped.append(skipped)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without a text."""

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID and self.skipped:
            self.skipped.pop()

    def handle_data(self, data: str) -> None:
        if not (self.skipped and self.skipped[-1]):
            self.parts.append(data)

    def unmarked(self) -> Iterator[str]:
        # A marked text may hold elements, so the marks are matched over the whole page.
        yield from _outside("\x00".join(self.parts)).split("\x00")
        for attribute in self.attributes:
            yield _outside(attribute)


def _outside(text: str) -> str:
    """The text without what is between ⟦ and ⟧."""
    kept, depth = [], 0
    for character in text:
        depth += (character == "⟦") - (character == "⟧")
        if depth == 0 or character == "\x00":
            kept.append(character if character != "⟧" else "")
    return "".join(kept)
