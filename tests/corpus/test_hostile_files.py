"""Files that nobody should send, through every page that takes one: a clear answer, and the next file works."""

from __future__ import annotations

import gzip
import html
import io
import json
import re
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from jobs import work
from jobs.models import Job

pytestmark = pytest.mark.django_db
IMPORTERS = {  # page, further fields of its form, and a file that it takes
    "import-documents": ({}, b'{"docno": "new", "title": "A"}\n'),
    "import-topics": ({}, b"51\tHarbour dues\n"),
    "add-run": ({"name": "mine"}, b"d00_method Q0 d01 1 0.5 x\n"),
    "add-ranking": ({"name": "mine", "facet": "method"}, b'{"d00": [["d01", 0.5]]}'),
    "import-model": ({"name": "mine", "model": "m"}, b"query,docno,grade\nd00_method,d01,2\n"),
}


@pytest.fixture
def send(query, as_, tmp_path, monkeypatch):
    """What the person is told of a file: on the page or, of documents, by the job."""
    monkeypatch.setattr(settings, "MEDIA_ROOT", tmp_path / "files")
    client = as_("admin")

    def send(page, content, name="f.txt"):
        fields, _ = IMPORTERS[page]
        address = reverse(page, args=["papers"])
        sent = client.post(address, {"file": SimpleUploadedFile(name, content), **fields}, follow=True)
        assert sent.status_code == 200
        if "upload=" in sent.request["QUERY_STRING"]:
            chosen = f"{address}?{sent.request['QUERY_STRING']}"
            sent = client.post(chosen, {"skip": "0", "split": "on"}, follow=True)
        for job in Job.objects.filter(state="queued"):
            work.run(job.pk)
            job.refresh_from_db()
            return job.error
        words = re.findall(
            r'<(?:p|ul|div)[^>]*(?:class="[^"]*bad[^"]*"|errorlist)[^>]*>(.*?)</(?:p|ul|div)>', sent.text, re.S
        )
        return html.unescape(re.sub(r"<[^>]+>", "", " ".join(words)))

    return send


def zipped(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def array_of_objects():
    file = io.BytesIO()
    np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    return file.getvalue()


BLANK = gzip.compress(b"\n" * 2**26) * 64  # 4 GB
TOKEN = gzip.compress(b"a" * 100_000_000)
FILES = {
    "blank lines": (BLANK, "empty lines|can be read|first line names"),
    "a token of 100 MB": (TOKEN, "16,000,000 characters|larger, unpacked"),
    "NUL": (b"a\0b\tc\n", "NUL"),
    "half a character": (b"\xed\xa0\x80\tc\n", "not UTF-8"),
    "an array of objects": (array_of_objects(), "NumPy"),
    "a zip in a zip": (zipped({"a.zip": zipped({"a.txt": b"x"})}), "a.zip is .*zip"),
    "a gzip in a gzip": (gzip.compress(gzip.compress(b"x")), "gzip"),
}


@pytest.mark.parametrize("page", IMPORTERS)
@pytest.mark.parametrize("kind", FILES)
def test_what_no_importer_takes(send, page, kind):
    content, reason = FILES[kind]
    assert re.search(reason, send(page, content)), send(page, content)
    assert send(page, IMPORTERS[page][1]) == ""


DIGITS = "9" * 400
VALUES = [
    ("import-documents", json.dumps({"docno": int(DIGITS), "title": "A"}), "at most 200 characters"),
    ("import-documents", json.dumps({"docno": "a", "title": "A", "year": int(DIGITS)}), "a year from 1 to 9999"),
    ("import-documents", '{"docno": "a", "title": "A", "year": ' + "9" * 5_000 + "}", "not JSON"),
    ("import-documents", '{"docno": "a", "title": "A", "year": 1e400}', "whole number"),
    ("import-documents", '{"docno": "a", "title": "\\ud800"}', r"U\+D800"),
    ("import-documents", '{"docno": "a", "title": "\\u0000"}', r"U\+0000"),
    ("import-documents", '{"docno": "a", "title": "A", "\\ud800": 1}', r"U\+D800"),
    ("import-topics", json.dumps({"id": int(DIGITS), "title": "A"}), "at most 200 characters"),
    ("import-topics", '{"id": "a", "title": "\\ud800"}', r"U\+D800"),
    ("add-run", f"d00_method Q0 d01 1 {DIGITS} x", "finite number"),
    ("add-run", f"d00_method Q0 {DIGITS} 1 0.5 x", "at most 200 characters"),
    ("add-run", f"{DIGITS} Q0 d01 1 0.5 x", "at most 200 characters"),
    ("add-run", f"d00_method Q0 d01 {DIGITS} 0.5 x", "^$"),  # the rank is not read
    ("add-ranking", f'{{"d00": [["d01", {DIGITS}]]}}', "^$"),  # only the order counts
    ("add-ranking", f'{{"d00": [["d01", {"9" * 5_000}]]}}', "a ranking is"),
    ("add-ranking", '{"d00": [["d01", 1], ["\\ud800", 0]]}', r"U\+D800"),
    ("add-ranking", '{"d00": [["d01", 1], ["\\u0000", 0]]}', r"U\+0000"),
    ("add-ranking", '{"\\ud800": [["d01", 1]]}', "none of its papers"),
    ("add-ranking", "[" * 100_000, "a ranking is"),
    ("import-model", f"query,docno,grade\nd00_method,d01,{DIGITS}\n", "^$"),  # kept as an answer without a grade
    ("import-model", 'query,docno,grade\nd00_method,d01,"2\n', "2"),
    ("import-model", "query,docno,grade\nd00_method,d01\n", "column"),
]


@pytest.mark.parametrize(("page", "content", "reason"), VALUES)
def test_values_that_cannot_be_kept(send, page, content, reason):
    assert re.search(reason, send(page, content.encode()))


@pytest.mark.parametrize("page", IMPORTERS)
@pytest.mark.parametrize("way", ["", "../../../../../../../.."])
def test_names_in_a_zip_are_no_paths(send, page, way, tmp_path):
    send(page, zipped({f"{way}{tmp_path}/escaped.txt": IMPORTERS[page][1]}))
    assert not (tmp_path / "escaped.txt").exists()


def test_ids_like_formulas_stay_and_are_defused_in_a_spreadsheet(send, as_):
    assert send("import-documents", b'=HYPERLINK("//evil"),A title\n', "f.csv") != ""
    assert send("import-documents", b'docno,title\n"=cmd|\'/c",+1+1\n', "f.csv") == ""
    sheet = as_("admin").get(reverse("documents", args=["papers"]), {"format": "csv", "q": "=cmd"})
    assert b"'=cmd|'/c,'+1+1" in b"".join(sheet.streaming_content)


def many_names(number):
    """A zip whose list of files says that there are that many."""
    one = zipped({"a": b"x"})
    place, end = one.index(b"PK\1\2"), one.index(b"PK\5\6")
    names = one[place:end] * number
    sizes = len(names).to_bytes(4, "little") + place.to_bytes(4, "little")
    return one[:place] + names + one[end : end + 12] + sizes + b"\0\0"


PROGRAM = """
import resource, sys
import django
django.setup()
from corpus.formats import reading
from corpus.formats.documents import read_documents
from corpus.formats.reading import BadLines
from corpus.formats.topics import read_topics
from evaluation.model_judges import _csv_rows
from evaluation.rankings import read_ranking
from retrieval.run_files import read_run
from web.errors import BadInput

reading.MOST_LINES //= 100
read_run(open(sys.argv[1], "rb"), "warm")
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 700_000_000,) * 2)
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
skipping = {"bad_lines": BadLines(10**9), "limit": 2 * 10**9}
for path in sys.argv[2:]:
    for read in (
        lambda file: list(read_documents(file, "f", **skipping)),
        lambda file: list(read_topics(file, "f", **skipping)),
        lambda file: read_run(file, "f"),
        lambda file: read_ranking(file, "f"),
        lambda file: list(_csv_rows(file)),
    ):
        try:
            read(open(path, "rb"))
        except BadInput as error:
            print(error, file=sys.stderr)
    print(path, flush=True)
"""


def test_no_file_takes_more_memory_or_time_than_a_worker_has(tmp_path):
    contents = {
        "run": IMPORTERS["add-run"][1],
        "blank": BLANK,
        "token": TOKEN,
        "lists": b"[" + b"[]," * 5_000_000 + b"[]]",
        "object": gzip.compress(b'{"d00": [' + b"[]," * 10_000_000),
        "names": many_names(600_000),
        "nothing": gzip.compress(b"<doc><docno>1</docno></doc>\n" + b"x\n" * 300_000),
        "quotes": b"query,docno,grade\n" + b'"",' * 5_000_000,
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    paths = [str(tmp_path / name) for name in contents]
    read = subprocess.run(
        [sys.executable, "-c", PROGRAM, *paths], cwd=settings.BASE_DIR, capture_output=True, text=True, check=False
    )
    assert read.stdout.splitlines() == paths[1:], read.stderr[-3000:]
    assert read.stderr.count("larger, unpacked") >= 4  # "token" and "object" as rankings, "nothing" as two kinds
