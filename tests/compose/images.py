"""Images from Debian's packages alone, for a machine that reaches no image registry."""

from __future__ import annotations

import re
import ssl
import subprocess
import sys
from pathlib import Path

from tests.compose.commands import CheckFailed, output_of, podman, run

RELEASE = "bookworm"
# What each base holds beside Debian's minimal system.
PACKAGES = ("ca-certificates", "python3", "python3-venv")
PREFIX = "localhost/qrelsmith-check"
BASE = f"{PREFIX}-base:{RELEASE}"
APP = f"{PREFIX}-app"
SERVICES = {"POSTGRES_IMAGE": "postgresql", "REDIS_IMAGE": "redis", "CADDY_IMAGE": "caddy"}


def build_images(source: Path, scratch: Path) -> dict[str, str]:
    """The variables of docker-compose.yml that name the images, which exist afterwards."""
    if not _exists(BASE):
        make_base(scratch)
    for name in SERVICES.values():
        _build(source, f"{PREFIX}-{name}", f"containers/{name}.Dockerfile")
    _build(source, APP, "Dockerfile")
    return {
        "BASE_IMAGE": BASE,
        "APP_IMAGE": APP,
        **{variable: f"{PREFIX}-{name}" for variable, name in SERVICES.items()},
    }


def make_base(scratch: Path) -> None:
    """Import a minimal Debian as an image, from the mirror that this machine's apt uses."""
    mirrors = output_of("apt-get", "indextargets", "--format", "$(SITE)").splitlines()
    if not mirrors:
        raise CheckFailed("apt lists no mirror. Run apt-get update first.")
    tree = scratch / "base"
    include = f"--include={','.join(PACKAGES)}"
    run("debootstrap", "--variant=minbase", include, RELEASE, str(tree), mirrors[0])
    packed = subprocess.Popen(
        ["tar", "--directory", str(tree), "--create", "."], stdout=subprocess.PIPE
    )
    subprocess.run(podman("import", "-", BASE), stdin=packed.stdout, check=True)
    if packed.wait():
        raise CheckFailed("tar could not read the base system.")


def _exists(image: str) -> bool:
    return subprocess.run(podman("image", "exists", image), check=False).returncode == 0


def _build(source: Path, image: str, dockerfile: str) -> None:
    volumes = [f"--volume={path}:{path}:ro" for path in _settings_of_pip()]
    run(
        *podman("build", "--quiet", "--network=host", *volumes, f"--build-arg=BASE={BASE}"),
        *("--tag", image, "--file", dockerfile, "."),
        folder=source,
    )


def _settings_of_pip() -> list[str]:
    """Files and folders by which pip on this machine finds and trusts its index."""
    told = output_of(sys.executable, "-m", "pip", "config", "debug")
    files = re.findall(r"^\s+(/\S+), exists: True$", told, re.MULTILINE)
    # A folder of pip's own may hold files that its settings name.
    own = {path.parent if path.parent.name == "pip" else path for path in map(Path, files)}
    certificates = ssl.get_default_verify_paths().cafile
    return [*sorted(map(str, own)), *([certificates] if certificates else [])]
