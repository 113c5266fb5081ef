"""Start docker-compose.yml with podman, walk through it, kill and restart each service, restore it.

Debian needs: apt-get install podman runc netavark aardvark-dns iptables uidmap debootstrap.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from bench.processes import ROOT
from tests.compose.commands import CheckFailed, output_of, step
from tests.compose.images import build_images
from tests.compose.stack import BACKUP_SECONDS, CONTAINERS_CONF, SERVICES, Stack, wait_until
from tests.compose.walk import Walk

NEEDED = {"podman": "podman", "runc": "runc", "debootstrap": "debootstrap"}
# Pairs that each of two annotators judges first, so that both have judged some, and at each step.
FIRST_PAIRS, PAIRS = 40, 3


def main() -> int:
    parser = argparse.ArgumentParser(prog="make compose-check", description=__doc__)
    parser.add_argument(
        "--public-images",
        action="store_true",
        help="Use the public images that docker-compose.yml names, instead of Debian's packages.",
    )
    options = parser.parse_args()
    try:
        check(public_images=options.public_images)
    except CheckFailed as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        return 1
    print("The services work, survive each kill and restart, and were restored from a backup.")
    return 0


def check(*, public_images: bool) -> None:
    if missing := [package for program, package in NEEDED.items() if not shutil.which(program)]:
        raise CheckFailed(f"Missing: {', '.join(missing)}. Install them with apt-get install.")
    with tempfile.TemporaryDirectory(prefix="qrelsmith-compose-") as folder:
        scratch = Path(folder)
        configuration = scratch / "containers.conf"
        configuration.write_text(CONTAINERS_CONF)
        os.environ["CONTAINERS_CONF"] = str(configuration)
        source = copy_of_tracked_files(scratch / "source")
        with step("Build the images"):
            images = {} if public_images else build_images(source, scratch)
        with running(Stack(source, images)) as stack:
            walk = walk_through(stack)
            file = make_backups(stack, walk, scratch)
            copy = shutil.copytree(source, scratch / "empty")
            with running(Stack(copy, images, "-restored")) as restored:
                restore(file, restored, walk)


@contextmanager
def running(stack: Stack) -> Iterator[Stack]:
    """End the services with the block. A failure has what they logged."""
    try:
        yield stack
    except CheckFailed as failure:
        logs = "".join(f"--- {name}\n{stack.log(name)}" for name in (*SERVICES, "backup"))
        raise CheckFailed(f"{failure}\n{stack.name}:\n{logs}") from failure
    finally:
        stack.end()


def walk_through(stack: Stack) -> Walk:
    with step("Start the services"):
        stack.start()
    with step("Open the login page with TLS"):
        walk = Walk(stack)
        walk.open_with_tls()
    with step("Make a collection, judge pairs, publish a release"):
        walk.set_up()
        walk.judge(FIRST_PAIRS)
        walk.publish()
    with step("Build an index in the builder"):
        walk.build_index()
    for service in SERVICES:
        with step(f"Kill {service}, and use the server"):
            stack.kill(service)
            use(service, stack, walk)
        with step(f"Restart {service}, and use the server"):
            stack.restart(service)
            use(service, stack, walk)
    walk.open_with_tls()
    walk.check_judgments()
    return walk


def use(service: str, stack: Stack, walk: Walk) -> None:
    """Judge and publish, or build an index. The other worker may not do it for this one."""
    if service == "builder":
        walk.build_index()
        return
    with stack.without("builder") if service == "worker" else nullcontext():
        walk.judge(PAIRS)
        walk.publish()


def make_backups(stack: Stack, walk: Walk, scratch: Path) -> Path:
    """The last backup that the service made on its schedule, which has all judgments."""
    with step(f"Make a backup each {BACKUP_SECONDS} s, and judge"):
        stack.start_backups()
        wait_until(lambda: backups_of(stack), "the first backup is made")
        walk.judge(PAIRS)
        before = len(backups_of(stack))
        # The next one may have begun before the last judgment.
        wait_until(lambda: len(backups_of(stack)) >= before + 2, "two more backups are made")
    with step("Stop the backups, and copy the last one"):
        name = backups_of(stack)[-1]
        if not (last := stack.last_backup())["ok"]:
            raise CheckFailed(f"The last backup failed: {last['error']}")
        folder = scratch / "backups"
        folder.mkdir(mode=0o755)
        stack.copy_backup(name, folder)
        stack.stop_backups()
    return folder / name


def backups_of(stack: Stack) -> list[str]:
    return sorted(name for name in stack.files_in_backup_folder() if not name.startswith("."))


def restore(file: Path, restored: Stack, walk: Walk) -> None:
    """On other containers and volumes, which have nothing of the first but the backup."""
    published = walk.last_release()
    with step("Restore the backup on an empty machine"):
        restored.start_database()
        restored.restore(file)
        restored.start()
        walk.move_to(restored)
        walk.check_judgments()
        if walk.last_release() != published:
            raise CheckFailed("The restored release has other bytes.")
    with step("Judge and publish there"):
        walk.judge(PAIRS)
        walk.publish()
        walk.check_judgments()


def copy_of_tracked_files(target: Path) -> Path:
    """What a clone would have, with changes that are not committed."""
    target.mkdir()
    listed = output_of("git", "ls-files", "--cached", "--others", "--exclude-standard", folder=ROOT)
    for name in listed.splitlines():
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


if __name__ == "__main__":
    sys.exit(main())
