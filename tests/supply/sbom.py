"""`make sbom`: write a CycloneDX file for each lock to `var/sbom`: demo, server and dev.

A file has the packages of the lock that this Python and this platform install, with versions,
licences and what requires what. The same lock, platform and commit give the same bytes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

from tests.supply.licences import licence_of
from tests.supply.packages import LOCKS, PROJECT, ROOT, installed_packages, required_packages


def sbom_of(lock: str, moment: datetime) -> str:
    """Return the CycloneDX 1.6 JSON of a lock; `moment` is its date."""
    licences = LicenseFactory()
    own = Component(
        name=PROJECT["name"],
        version=PROJECT["version"],
        type=ComponentType.APPLICATION,
        licenses=[licences.make_from_string(PROJECT["license"])],
        bom_ref=PROJECT["name"],
    )
    components = {"": own}
    for package in installed_packages(lock):
        address = PackageURL("pypi", name=package.name, version=package.version)
        components[package.name] = Component(
            name=package.name,
            version=package.version,
            licenses=[licences.make_from_string(licence_of(package))],
            purl=address,
            bom_ref=str(address),
        )
    # Else each file would have a random number.
    names = " ".join(component.bom_ref.value or "" for component in components.values())
    bom = Bom(
        components=[component for name, component in components.items() if name],
        metadata=BomMetaData(component=own, timestamp=moment),
        serial_number=uuid5(NAMESPACE_URL, f"qrelsmith {PROJECT['version']} {lock} {names}"),
    )
    graph = required_packages(lock)
    for name, component in components.items():
        required = [components[each] for each in sorted(graph.get(name, ()))]
        bom.register_dependency(component, required)
    return make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=2)


def moment_of_commit() -> datetime:
    """Return the date of the sources: SOURCE_DATE_EPOCH, else that of the last commit."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if not seconds:
        command = ["git", "log", "-1", "--format=%ct"]
        seconds = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    return datetime.fromtimestamp(int(seconds), UTC)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for lock in LOCKS:
        path = folder / f"{lock}.json"
        path.write_text(sbom_of(lock, moment_of_commit()) + "\n")
        print(f"{path}: {len(installed_packages(lock))} packages")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "var" / "sbom")
