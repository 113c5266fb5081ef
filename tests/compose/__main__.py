"""Start docker-compose.yml with podman, walk through it, kill and restart each service.

Debian needs: apt-get install podman runc netavark aardvark-dns iptables uidmap debootstrap.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from bench.processes import ROOT
from tests.compose.commands import CheckFailed, output_of, step
from tests.compose.images import build_images
from tests.compose.stack import CONTAINERS_CONF, SERVICES, Stack
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
    print("The services of docker-compose.yml work, and each survives a kill and a restart.")
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
        stack = Stack(source, images)
        try:
            walk_through(stack)
        except CheckFailed as failure:
            logs = "".join(f"--- {name}\n{stack.log(name)}" for name in SERVICES)
            raise CheckFailed(f"{failure}\n{logs}") from failure
        finally:
            stack.end()


def walk_through(stack: Stack) -> None:
    with step("Start the services"):
        stack.start()
    with step("Open the login page with TLS"):
        walk = Walk(stack)
        walk.open_with_tls()
    with step("Make a collection, judge pairs, publish a release"):
        walk.set_up()
        walk.judge(FIRST_PAIRS)
        walk.publish()
    for service in SERVICES:
        with step(f"Kill {service}, judge and publish"):
            stack.kill(service)
            walk.judge(PAIRS)
            walk.publish()
        with step(f"Restart {service}, judge and publish"):
            stack.restart(service)
            walk.judge(PAIRS)
            walk.publish()
    walk.open_with_tls()
    saved, pressed = walk.saved_judgments(), walk.keys_pressed()
    if saved != pressed:
        raise CheckFailed(f"{pressed} judgments were acknowledged, and {saved} are stored.")


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
