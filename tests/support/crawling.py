"""A person who follows every link and sends every form that the server shows, breadth first."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import product
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import pytest
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.test import Client
from django.urls import Resolver404, URLPattern, URLResolver, get_resolver, resolve
from django.views import defaults

from config import urls

ENOUGH = 1500
VARIANTS = 10  # of one page: its choices multiply, because links keep them
SERVER = "http://testserver"
# Whatever looks like an address: in an attribute, a script or JSON.
ADDRESS = re.compile(rf"""["']((?:{SERVER})?/[^"'\s<>\\]*)["']""")
# The docs below /help/ and the schema are the same for everybody, and come from no collection.
ELSEWHERE = ("/static/", "/help/", "/api/schema/", "//", "/accounts/logout/")


def is_pdf(address: str) -> bool:
    """A PDF is the same figure as the SVG beside it, but compressed, so a search finds nothing."""
    return urlsplit(address).path.endswith(".pdf")


class Answer(NamedTuple):
    request: str
    status: int
    headers: str
    body: str


class Form(NamedTuple):
    action: str
    values: tuple[tuple[str, str], ...]


@dataclass
class Crawl:
    client: Client
    answers: list[Answer] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    forms: dict[str, Form] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def follow_links(self, *starts: str) -> Crawl:
        waiting = deque(starts)
        variants: Counter[str] = Counter()
        while waiting:
            address = waiting.popleft()
            if address in self.seen or address.startswith(ELSEWHERE) or is_pdf(address):
                continue
            variants[urlsplit(address).path] += 1
            if variants[urlsplit(address).path] > VARIANTS:
                continue
            assert len(self.seen) < ENOUGH, "the addresses never end"
            self.seen.add(address)
            answer = self.ask("get", address)
            waiting.extend(addresses_in(answer, address))
            for form in forms_in(answer.body, address):
                names = sorted({name for name, _ in form.values})
                self.forms.setdefault(f"{urlsplit(form.action).path} {names}", form)
        return self

    def send_forms(self) -> Crawl:
        for form in list(self.forms.values()):
            if not form.action.startswith(ELSEWHERE):
                self.ask("post", form.action, dict(form.values))
        return self

    def ask(self, method: str, address: str, values: dict[str, str] | None = None) -> Answer:
        response = getattr(self.client, method)(address, values or {})
        content = b"".join(response.streaming_content) if response.streaming else response.content
        answer = Answer(
            f"{method.upper()} {address}",
            response.status_code,
            f"{dict(response.headers)} {response.cookies}",
            content.decode("utf-8", "replace"),
        )
        self.answers.append(answer)
        self._note_name(address, response.status_code)
        return answer

    def _note_name(self, address: str, status: int) -> None:
        try:
            name = resolve(urlsplit(address).path).url_name
        except Resolver404:
            return
        if name and status < 400:
            self.names.add(name)

    def holding(self, pattern: re.Pattern[str]) -> list[str]:
        """The requests whose answers hold the pattern, with what was found."""
        return [
            f"{answer.request}: {found.group()!r}"
            for answer in self.answers
            if (found := pattern.search(without_uuids(answer.headers + answer.body)))
        ]


def without_uuids(text: str) -> str:
    """They are random, so sooner or later one holds any short number."""
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID", text)


def addresses_in(answer: Answer, base: str) -> Iterator[str]:
    found = [match.replace("&amp;", "&") for match in ADDRESS.findall(answer.body)]
    found += re.findall(r"'Location': '([^']+)'", answer.headers)
    found += re.findall(r"""\bhref=["'](\?[^"']*)["']""", answer.body)
    for address in found:
        parts = urlsplit(urljoin(SERVER + base, address.removeprefix(SERVER) or "/"))
        if f"{parts.scheme}://{parts.netloc}" == SERVER:
            yield parts.path + (f"?{parts.query}" if parts.query else "")


class FormParser(HTMLParser):
    def __init__(self, base: str) -> None:
        super().__init__()
        self.base = base
        self.found: list[Form] = []
        self.action: str | None = None
        self.values: dict[str, str] = {}
        self.select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            is_post = given.get("method", "").lower() == "post"
            path = urljoin(self.base, given.get("action", ""))
            self.action, self.values = (path if is_post else None), {}
        elif tag in {"input", "button", "textarea"} and given.get("name"):
            self.values.setdefault(given["name"], given.get("value", ""))
        elif tag == "select":
            self.select = given.get("name", "")
        elif tag == "option" and self.select:
            self.values.setdefault(self.select, given.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self.action is not None:
            self.found.append(Form(self.action, tuple(self.values.items())))
            self.action = None


def forms_in(body: str, base: str) -> list[Form]:
    parser = FormParser(base)
    parser.feed(body)
    return parser.found


@contextmanager
def refusals_rendered_once() -> Iterator[None]:
    """Render "Page not found" once for each person, method, route and collection.

    The page knows nothing else, and takes a third of the time when all addresses are requested.
    """
    rendered: dict[tuple[Any, ...], bytes] = {}

    def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
        match = request.resolver_match
        place = (match.route, match.kwargs.get("slug")) if match else ()
        key = (request.user.pk, request.method, *place)
        if key not in rendered:
            rendered[key] = defaults.page_not_found(request, exception).content
        return HttpResponseNotFound(rendered[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(urls, "handler404", page_not_found, raising=False)
        yield


def patterns(
    resolver: URLResolver | None = None, prefix: str = ""
) -> Iterator[tuple[str, URLPattern]]:
    """Every route of the project, as `c/<slug:slug>/…`, with its pattern."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from patterns(pattern, route)
        else:
            yield route, pattern


def filled(route: str, values: dict[str, Iterable[object]]) -> Iterator[str]:
    """The route with every combination of values in place of its parameters."""
    names = re.findall(r"<(?:\w+:)?(\w+)>|\{(\w+)\}", route)
    wanted = [angled or braced for angled, braced in names]
    for combination in product(*(values[name] for name in wanted)):
        address = route
        for value in combination:
            address = re.sub(
                r"<[^>]+>|\{\w+\}", lambda _, value=value: str(value), address, count=1
            )
        yield "/" + address.removeprefix("/")
