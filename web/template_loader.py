"""Loads the project's templates without their indentation, once for each language.

Indentation is half of a long page's bytes. The line breaks stay, so that words stay apart and an
error names the right line. The texts are translated here, before the template is compiled (ADR 81).
"""

from __future__ import annotations

import re

from django.conf import settings
from django.template import Origin
from django.template.loaders import cached, filesystem
from django.utils.translation import get_language, gettext, pgettext

from web.languages.template_messages import in_english, in_language

INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)


class Loader(filesystem.Loader):
    def get_contents(self, origin: Origin) -> str:
        text: str = super().get_contents(origin)
        if origin.name.endswith(".html"):
            text = INDENTATION.sub("", text)
        elif not origin.name.endswith(".txt"):
            return text
        if get_language() == settings.LANGUAGE_CODE:
            return in_english(text)
        return in_language(text, _translation)


def _translation(context: str, message: str) -> str:
    return pgettext(context, message) if context else gettext(message)


class LoaderByLanguage(cached.Loader):
    """Keeps each compiled template once for each language in which it was asked for."""

    def cache_key(self, template_name: str, skip: list[Origin] | None = None) -> str:
        return f"{get_language()} {super().cache_key(template_name, skip)}"
