"""Judge, import and publish on two machines that share no folder, while one of each is killed.

Debian needs: apt-get install pgbouncer haproxy redis-server. A PostgreSQL is found as by
`make bench`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.databases import new_database, on_sqlite
from bench.judging.browser import Browser
from bench.judging.state import PASSWORD, SLUG
from bench.processes import exit_on_sigterm, measured_step
from tests.compose.commands import CheckFailed, step
from tests.compose.stack import wait_until
from tests.machines.judges import Judges, PatientBrowser
from tests.machines.rig import Machine, Rig, missing_programs

JUDGES, QUERIES = 30, 400
QUIET, DOWN = 8, 10  # seconds of judging between two events, and of a machine without its process
IMPORTED = 20_000  # documents, so that the job takes longer than the time until a kill


def main() -> int:
    parser = argparse.ArgumentParser(prog="make machines-check", description=__doc__)
    parser.add_argument("--folder", type=Path, help="keep the logs here")
    given = parser.parse_args()
    exit_on_sigterm()
    try:
        if missing := missing_programs():
            raise CheckFailed(f"Install with apt-get: {', '.join(missing)}.")
        with tempfile.TemporaryDirectory(prefix="qrelsmith-machines-") as folder:
            check(given.folder or Path(folder))
    except CheckFailed as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        return 1
    return 0


def check(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with new_database(print) as database, ExitStack() as stack:
        if database is None:
            raise CheckFailed("There is no PostgreSQL.")
        environment = {**on_sqlite(folder), "DATABASE_URL": database}
        with step(f"Make a collection with {QUERIES} queries in their judging"):
            measured_step("bench.judging.state", ["--queries", QUERIES], environment)
        before = counted(environment)
        with step("Start two machines, PgBouncer, HAProxy, a storage and a Redis"):
            rig = Rig(database, folder, stack)
        names = measured_step("bench.judging.steps", ["annotators", JUDGES], environment).values
        judges = Judges(rig.port, names["annotators"])
        admin = Admin(rig)
        judges.begin()
        try:
            soak(rig, admin)
        finally:
            judges.stop()
        after = counted(environment)
        compare(judges, after["judgments"] - before["judgments"], after["over"])


def soak(rig: Rig, admin: Admin) -> None:
    with step("Judge"):
        time.sleep(QUIET)
    with step("Kill the web server of one machine"):
        rig.first.kill_web()
        time.sleep(DOWN)
    with step("Start it again"):
        rig.first.start_web()
        time.sleep(QUIET)
    with step(f"Import {IMPORTED:,} documents, and kill the worker that does it"):
        job = admin.import_documents(IMPORTED)
        killed = kill_worker_of(job, rig, admin)
    with step("Another worker imports them"):
        admin.wait_for(job)
        if attempts_of(job, rig) < 2:
            raise CheckFailed("The job was done before its worker was killed.")
        time.sleep(QUIET)
    with step("Start the worker again, and publish a release"):
        killed.start_worker()
        admin.wait_for(admin.publish("1.0"))
        admin.same_release_on_both("1.0")
    for machine in (rig.first, rig.second):
        if kept := [*machine.files("uploads"), *machine.files("releases")]:
            raise CheckFailed(f"The machine {machine.name} has kept {kept[0]}.")


def kill_worker_of(job: str, rig: Rig, admin: Admin) -> Machine:
    """Kill the worker that runs the job: of the two, the one that has a process for it."""
    wait_until(lambda: admin.job(job)["state"] == "running", "the import runs")
    machines = (rig.first, rig.second)
    wait_until(lambda: any(has_import(machine) for machine in machines), "its process runs")
    machine = next(machine for machine in machines if has_import(machine))
    machine.kill_worker()
    return machine


def attempts_of(job: str, rig: Rig) -> int:
    code = f"from jobs.models import Job; print(Job.objects.get(pk='{job}').attempts)"
    return int(rig.first.manage("shell", "--no-imports", "-c", code))


def has_import(machine: Machine) -> bool:
    """Whether a process of the machine's worker does an import."""
    return any(b"jobs.confinement.child" in command_of(pid) for pid in machine.worker_processes())


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it has ended
        return b""


class Admin:
    """The admin of the collection, through the proxy."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.browser = PatientBrowser(rig.port)
        self.browser.log_in("admin1", PASSWORD)

    def import_documents(self, count: int) -> str:
        """The job. It changes no query, so judging goes on."""
        line = (
            '{{"docno": "new-{0}", "title": "Title {0}", "sentences": ["A sentence.", "B {0}."]}}'
        )
        content = "\n".join(line.format(number) for number in range(count))
        mark = "of-this-check"
        head = 'Content-Disposition: form-data; name="file"; filename="new.jsonl"\r\n\r\n'
        body = f"--{mark}\r\n{head}{content}\r\n--{mark}--\r\n"
        return self._post("documents/", body, f"multipart/form-data; boundary={mark}")["id"]

    def publish(self, version: str) -> str:
        preview = self._json("releases/", {"version": version, "dry_run": True})
        accept = dict.fromkeys(preview["blocking"], "A check of two machines.")
        return self._json("releases/", {"version": version, "accept": accept})["id"]

    def job(self, job: str) -> dict[str, Any]:
        found = self.browser.get(f"/api/v1/collections/{SLUG}/jobs/{job}/")
        if found.status != 200:
            raise CheckFailed(f"{found.status} {found.text[:300]}")
        return json.loads(found.text)

    def wait_for(self, job: str) -> None:
        wait_until(lambda: self.job(job)["state"] not in ("queued", "running"), "the job is done")
        ended = self.job(job)
        if ended["state"] != "succeeded":
            raise CheckFailed(f"The job {ended['state']}: {ended['error']}")

    def same_release_on_both(self, version: str) -> None:
        digests = set()
        for machine in (self.rig.first, self.rig.second):
            browser = Browser(machine.port)
            browser.cookies = dict(self.browser.cookies)
            content = browser.download(f"/c/{SLUG}/releases/{version}.zip")
            digests.add(hashlib.sha256(content).hexdigest())
        if len(digests) != 1:
            raise CheckFailed("The machines hand out different releases.")

    def _json(self, path: str, body: dict[str, Any]) -> Any:
        return self._post(path, json.dumps(body), "application/json")

    def _post(self, path: str, body: str, kind: str) -> Any:
        token = {"Content-Type": kind, "X-CSRFToken": self.browser.cookies["csrftoken"]}
        answer = self.browser.post_text(f"/api/v1/collections/{SLUG}/{path}", body, token)
        if answer.status not in (200, 201, 202):
            raise CheckFailed(f"{path} answered {answer.status}: {answer.text[:500]}")
        return json.loads(answer.text)


def counted(environment: dict[str, str]) -> dict[str, Any]:
    return dict(measured_step("bench.judging.steps", ["judgments"], environment).values)


def compare(judges: Judges, saved: int, over: int) -> None:
    print(
        f"{len(judges.people)} judges, {judges.pressed} acknowledged judgments, {saved} in the "
        f"database, {over} over-annotated pairs, {len(judges.problems)} errors that a judge sees; "
        f"{judges.sent_again} requests sent again by browsers."
    )
    if len(judges.people) < JUDGES:
        raise CheckFailed(f"Only {len(judges.people)} people have pairs to judge.")
    if judges.problems:
        raise CheckFailed(f"A judge saw an error: {judges.problems[0]}")
    if saved != judges.pressed or over:
        raise CheckFailed("Judgments were lost, doubled or too many.")


if __name__ == "__main__":
    sys.exit(main())
