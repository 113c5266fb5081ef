"""A collection through the services: an admin, two judges, jobs, releases."""

from __future__ import annotations

import json
import secrets
import ssl
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from bench.judging.annotators import Annotator
from bench.judging.browser import Answer, Browser
from bench.processes import ROOT
from tests.compose.commands import CheckFailed, output_of
from tests.compose.stack import Stack, wait_until

COLLECTION = "sample"
ADMIN, ANNOTATORS = "head", ("first", "second")
CADDY_ROOT = "/data/caddy/pki/authorities/local/root.crt"


class Walk:
    """The people of a collection on the stack, each with a browser."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self._passwords: dict[str, str] = {}
        self.admin = self._person(ADMIN)
        self.annotators = [Annotator(self._person(name), COLLECTION) for name in ANNOTATORS]
        self._versions = 0
        # None has an index of this analysis yet.
        self._retrievers = iter(("bm25_title", "bm25_abstract", "bm25_text"))

    def set_up(self) -> None:
        """Make the sample collection in a job, and open its queries for two annotators."""
        made = self.admin.post("/collections/sample/", self.admin.token(), {})
        _check(made, 200)
        self._wait_for_jobs()
        for name in ANNOTATORS:
            self.stack.manage("change_roles", COLLECTION, name, "--add", "annotator")
        self.stack.manage("open_queries", COLLECTION, "--all", "--annotators", *ANNOTATORS)

    def move_to(self, stack: Stack) -> None:
        """Everyone logs in at another server, with the account of the first."""
        self.stack = stack
        self.admin = self._logged_in(ADMIN)
        for annotator, name in zip(self.annotators, ANNOTATORS, strict=True):
            annotator.browser = self._logged_in(name)

    def build_index(self) -> None:
        """Rank by a retriever that has no index yet, while only the builder can do it."""
        with self.stack.without("worker"):
            retriever = next(self._retrievers)
            self._api("runs/", {"retriever": retriever, "analysis": "english_stem"})
            self._wait_for_jobs()

    def judge(self, count: int) -> None:
        """Each annotator judges `count` more pairs. Every one must be saved."""
        for annotator in self.annotators:
            goal = len(annotator.keys) + count
            annotator.judge(lambda pressed, goal=goal: pressed >= goal)  # type: ignore[misc]
            if annotator.problems or len(annotator.keys) < goal:
                raise CheckFailed(f"A judgment was not saved: {annotator.problems}")

    def publish(self) -> None:
        """Publish the next version in a job, download its zip, and verify it on this machine."""
        self._versions += 1
        version = f"1.{self._versions}"
        preview = self._api("releases/", {"version": version, "dry_run": True})
        accept = dict.fromkeys(preview["blocking"], "A check of the deployment.")
        self._api("releases/", {"version": version, "accept": accept})
        self._wait_for_jobs()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "release.zip"
            file.write_bytes(self.last_release())
            output_of(sys.executable, "manage.py", "verify_release", str(file), folder=ROOT)

    def last_release(self) -> bytes:
        return self.admin.download(f"/c/{COLLECTION}/releases/1.{self._versions}.zip")

    def check_judgments(self) -> None:
        """Raises CheckFailed if another number is stored than was acknowledged."""
        saved, pressed = self.saved_judgments(), self.keys_pressed()
        if saved != pressed:
            raise CheckFailed(f"{pressed} judgments were acknowledged, and {saved} are stored.")

    def keys_pressed(self) -> int:
        """Judgments that the server acknowledged."""
        return sum(len(annotator.keys) for annotator in self.annotators)

    def saved_judgments(self) -> int:
        """Judgments in the database."""
        code = "from annotation.models import Judgment; print(Judgment.objects.count())"
        return int(self.stack.manage("shell", "--no-imports", "-c", code))

    def open_with_tls(self) -> None:
        """Open the login page through Caddy, with the certificate that it signed."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "root.crt"

            def has_certificate() -> bool:
                try:
                    self.stack.copy_from_caddy(CADDY_ROOT, root)
                except CheckFailed:
                    return False
                return True

            wait_until(has_certificate, "Caddy has a certificate")
            trusted = ssl.create_default_context(cafile=str(root))
        address = f"https://localhost:{self.stack.https_port}/accounts/login/"
        with urlopen(address, timeout=30, context=trusted) as answer:
            if b"Log in" not in answer.read():
                raise CheckFailed(f"{address} is not the login page.")
            if "Strict-Transport-Security" not in answer.headers:
                raise CheckFailed(f"{address} does not insist on TLS.")

    def _person(self, username: str) -> Browser:
        password = self._passwords[username] = secrets.token_urlsafe(16)
        self.stack.manage(
            *("createsuperuser", "--noinput", "--username", username, "--email", ""),
            DJANGO_SUPERUSER_PASSWORD=password,
        )
        return self._logged_in(username)

    def _logged_in(self, username: str) -> Browser:
        browser = Browser(self.stack.port)
        browser.log_in(username, self._passwords[username])
        return browser

    def _wait_for_jobs(self) -> None:
        def are_done() -> bool:
            jobs = self._api("jobs/")["results"]
            if failed := [job for job in jobs if job["state"] in ("failed", "cancelled")]:
                raise CheckFailed(f"A job failed: {failed[0]['title']}: {failed[0]['error']}")
            return all(job["state"] == "succeeded" for job in jobs)

        wait_until(are_done, "all jobs are done")

    def _api(self, path: str, body: dict[str, Any] | None = None) -> Any:
        address = f"/api/v1/collections/{COLLECTION}/{path}"
        if body is None:
            return json.loads(_check(self.admin.get(address), 200).text)
        headers = {
            "Content-Type": "application/json",
            "X-CSRFToken": self.admin.cookies["csrftoken"],
        }
        answer = self.admin.post_text(address, json.dumps(body), headers)
        return json.loads(_check(answer, 200, 202).text)


def _check(answer: Answer, *statuses: int) -> Answer:
    if answer.status not in statuses:
        raise CheckFailed(f"{answer.path} answered {answer.status}: {answer.text[:500]}")
    return answer
