"""Take the docs' screenshots of the demo: `make pictures` writes docs/pictures/*.png.

It starts the demo on a free port with a temporary data folder, logs in with the demo's accounts and
takes each page in the light and the dark theme. It ends every process that it started.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, BrowserContext, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
HOST = "127.0.0.1"
START_SECONDS = 180
STOP_SECONDS = 30
WIDTH = 1440
LARGEST_KB = 250
CHROMIUM_OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-lcd-text"]
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
# The demo must not use the database, the broker or the secrets of another installation.
UNSET = {"DATABASE_URL", "CELERY_BROKER_URL", "REDIS_URL", "CELERY_QUEUE", "QRELSMITH_MODE"}


class Picture(NamedTuple):
    name: str
    username: str
    path: str  # below the collection's address
    height: int = 900


PICTURES_OF_PAGES = (
    Picture("judging", "annotator", "judge/{query}/", 780),
    Picture("agreement", "admin", "agreement/"),
    Picture("board", "admin", "judging/"),
    Picture("pools", "admin", "pools/"),
    Picture("release", "admin", "releases/"),
)


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="qrelsmith-pictures-") as folder:
        port = free_port()
        with demo(Path(folder), port), sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium(),
                args=CHROMIUM_OPTIONS,
            )
            try:
                take_pictures(browser, f"http://{HOST}:{port}", passwords(Path(folder)))
            finally:
                browser.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def demo(folder: Path, port: int) -> Iterator[None]:
    """The demo's web server and worker, until the block ends."""
    environment = {name: value for name, value in os.environ.items() if name not in UNSET}
    log_path = folder / "demo.log"
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "start_demo"],
            cwd=ROOT,
            env={**environment, "DATA_DIR": str(folder), "PORT": str(port)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not answers(port):
            if process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"The demo did not start:\n{log_path.read_text()}")
            time.sleep(0.5)
        yield
    finally:
        process.send_signal(signal.SIGTERM)  # the demo then ends its own parts, in order
        process.wait(timeout=STOP_SECONDS)


def answers(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def chromium() -> str:
    names = [os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"]
    for path in filter(None, map(shutil.which, filter(None, names))):
        return path
    sys.exit("Chromium not found. Install the package chromium, or set CHROMIUM to its path.")


def passwords(folder: Path) -> dict[str, str]:
    accounts = json.loads((folder / "demo-accounts.json").read_text())
    return {account["username"]: account["password"] for account in accounts}


def take_pictures(browser: Browser, server: str, passwords: dict[str, str]) -> None:
    collection = f"{server}/c/demo/"
    for theme in THEMES:
        people: dict[str, BrowserContext] = {}
        for picture in PICTURES_OF_PAGES:
            if picture.username not in people:
                people[picture.username] = log_in(
                    browser, server, theme, picture.username, passwords[picture.username]
                )
            page = people[picture.username].new_page()
            page.goto(collection + picture.path.split("{query}")[0])
            if "{query}" in picture.path:
                # The first query in the list has pairs left to judge.
                page.locator("main a[href*='/judge/']").first.click()
            page.wait_for_load_state("networkidle")
            page.set_viewport_size({"width": WIDTH, "height": picture.height})
            path = PICTURES / f"{picture.name}-{theme}.png"
            page.screenshot(path=path, animations="disabled", scale="css")
            size = path.stat().st_size // 1024
            sys.stdout.write(f"{path.relative_to(ROOT)}  {size} kB\n")
            if size >= LARGEST_KB:
                sys.exit(
                    f"{path.name} has {size} kB, at most {LARGEST_KB} allowed. Lower its height."
                )
            page.close()
        for context in people.values():
            context.close()


def log_in(
    browser: Browser, server: str, theme: Literal["light", "dark"], username: str, password: str
) -> BrowserContext:
    context = browser.new_context(
        viewport={"width": WIDTH, "height": 900}, color_scheme=theme, locale="en-GB"
    )
    page = context.new_page()
    page.goto(f"{server}/accounts/login/")
    page.fill("input[name=username]", username)
    page.fill("input[name=password]", password)
    page.locator("form:has(input[name=password]) button.primary").click()
    page.wait_for_load_state("networkidle")
    page.close()
    return context


if __name__ == "__main__":
    main()
