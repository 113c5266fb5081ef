"""Makes the language of the source free: a text in English is the message itself.

Django looks up each message in its own catalogues of English, and finds the language of a request
through a lock of asgiref. Together they took 8 % of the judging page's time. We run without
`asyncio`, so a variable of the thread does the same. The names are private to Django (ADR 81);
`tests/web/test_languages.py` notices if they change.
"""

from __future__ import annotations

import threading
from gettext import NullTranslations

from django.conf import settings
from django.utils.translation import trans_real


class SourceLanguage(NullTranslations):
    """The catalogue of English, which is empty."""

    def language(self) -> str:
        return settings.LANGUAGE_CODE

    def to_language(self) -> str:
        return settings.LANGUAGE_CODE


def install() -> None:
    trans_real._translations[settings.LANGUAGE_CODE] = SourceLanguage()  # type: ignore[attr-defined]
    trans_real._active = threading.local()  # type: ignore[attr-defined]
