"""Saving judgments over HTTP: one client, then eight at once, as the judging page's script sends them."""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
import uuid
from collections.abc import Callable
from statistics import median
from typing import TypeVar
from urllib.parse import urlencode

PATIENCE = 30
Made = TypeVar("Made")


class Judge:
    """A logged-in annotator over one kept connection."""

    def __init__(self, port: int, slug: str, session: str) -> None:
        self.link = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.slug, self.session, self.csrf = slug, session, "a" * 32
        self.headers: dict[str, str] = {}  # further ones, such as a proxy wants

    def request(self, method: str, path: str, fields: dict[str, str] | None = None, accept: str = "text/html") -> str:
        headers = {"Cookie": f"sessionid={self.session}; csrftoken={self.csrf}", "Accept": accept, **self.headers}
        body = None
        if fields is not None:
            body = urlencode(fields)
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "X-CSRFToken": self.csrf}
        try:
            self.link.request(method, path, body, headers)
            answer = self.link.getresponse()
        except ConnectionError:  # the server closes an idle connection after two seconds; the key makes it safe
            self.link.close()
            self.link.request(method, path, body, headers)
            answer = self.link.getresponse()
        text = answer.read().decode()
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]}")
        return text

    def pairs(self) -> list[dict[str, str]]:
        """All pairs that wait for this judge, with what the page would send."""
        waiting: list[dict[str, str]] = []
        page = self.request("GET", f"/c/{self.slug}/judge/")
        for query in dict.fromkeys(re.findall(rf"/c/{self.slug}/judge/(\d+)/", page)):
            seen: list[str] = []
            while True:
                more = self.request("GET", f"/c/{self.slug}/judge/{query}/pairs/?without={','.join(seen)}")
                articles = re.findall(r"<article[^>]*>", more)
                if not articles or len(seen) > 150:
                    break
                for article in articles:
                    data = dict(re.findall(r'data-([a-z-]+)="([^"]*)"', article))
                    seen.append(data["token"])
                    waiting.append(data)
        return waiting

    def patiently(self, act: Callable[[], Made]) -> Made:
        """Until the server has answered, as the page's script does: it, or what a proxy sends to, may be killed."""
        while True:
            try:
                return act()
            except (OSError, http.client.HTTPException, RuntimeError) as error:
                if isinstance(error, RuntimeError) and not re.search(r": 50[234] ", str(error)):
                    raise
                self.link.close()
                time.sleep(0.2)

    def judge_patiently(self, pair: dict[str, str]) -> str:
        """The key of the judgment, the same each time that it is sent."""
        key = str(uuid.uuid4())
        fields = {"grade": "1", "key": key, "digest": pair["digest"], "replaces": "", "seconds": "5"}
        answer = self.patiently(lambda: self.request("POST", pair["url"], fields, "application/json"))
        assert json.loads(answer)["key"] == key
        return key

    def judge(self, pair: dict[str, str]) -> float:
        """Seconds until the server has saved it."""
        key = str(uuid.uuid4())
        fields = {"grade": str(int(pair["token"], 16) % 4), "key": key, "digest": pair["digest"], "seconds": "5"}
        began = time.perf_counter()
        answer = self.request("POST", pair["url"], fields | {"replaces": ""}, "application/json")
        spent = time.perf_counter() - began
        assert json.loads(answer)["key"] == key
        return spent


def one_client(judge: Judge, number: int) -> float:
    """Median milliseconds of a judgment."""
    pairs = judge.pairs()[: number + 10]
    for pair in pairs[:10]:
        judge.judge(pair)
    return 1000 * median(judge.judge(pair) for pair in pairs[10:])


def many_clients(judges: list[Judge], number: int) -> tuple[float, int]:
    """Judgments a second of all clients together, and how many were sent."""
    work = [judge.pairs()[:number] for judge in judges]
    threads = [
        threading.Thread(target=lambda judge=judge, pairs=pairs: [judge.judge(pair) for pair in pairs])
        for judge, pairs in zip(judges, work, strict=True)
    ]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sent = sum(len(pairs) for pairs in work)
    return sent / (time.perf_counter() - began), sent
