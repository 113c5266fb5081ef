from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from requests import RequestException

from web.errors import AppError, BadInput, Conflict, error_response

logger = logging.getLogger(__name__)
Answer = Callable[[HttpRequest], HttpResponse]


class PrivateAnswers:
    """No browser or proxy keeps what a logged-in person was shown, so Back after a log-out shows nothing."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.user.is_authenticated:
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response


class PlainErrors:
    """An error of a service becomes a page with its sentence, or JSON for a script."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.encoding = "utf-8"  # whatever the header says: other codecs make text that nothing stores
        if "\0" in request.path_info or "%00" in request.META["QUERY_STRING"]:
            return error_response(request, BadInput("This address has a NUL character, which no text here has."))
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, IntegrityError):  # two at once: the second meets what its checks did not see yet
            logger.warning("refused by the database: %s", str(error).partition("\n")[0])
            error = Conflict("Somebody saved the same thing at the same moment. Look at it again.")
        if isinstance(error, RequestException):  # allauth asks the provider where to send the person
            logger.warning("%s: %s", request.path, error)
            error = AppError("The server for this log-in does not answer. Try again later, or log in another way.")
        if isinstance(error, OverflowError) and "SQLite" in str(error):
            error = BadInput("A number is too large. It is the key of nothing here.")
        return error_response(request, error) if isinstance(error, AppError) else None
