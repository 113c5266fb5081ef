"""`make client`: write `qrelsmith_client`, a typed Python client of the API, to `var/client`.

openapi-python-client generates it from the OpenAPI document of this version. It is not committed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.supply.packages import ROOT

PACKAGE = "qrelsmith_client"
CONFIGURATION = """\
package_name_override: qrelsmith_client
content_type_overrides:
  application/zip: application/octet-stream
post_hooks: []
"""


def write_client(folder: Path) -> None:
    """Write the package into the folder, in place of one that is there.

    Raises:
        CalledProcessError: a part of the document cannot be expressed; the output says which.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        document, configuration = Path(temporary, "openapi.json"), Path(temporary, "client.yaml")
        configuration.write_text(CONFIGURATION)
        run("manage.py", "spectacular", "--format", "openapi-json", "--file", str(document))
        run(
            *("-m", "openapi_python_client", "generate", "--path", str(document)),
            *("--config", str(configuration), "--output-path", str(folder / PACKAGE)),
            *("--meta", "none", "--overwrite", "--fail-on-warning"),
        )
    # openapi-python-client 0.29 does not import the name where an address takes JSON or a form.
    for module in (folder / PACKAGE / "api").rglob("*.py"):
        text = module.read_text()
        if " Unset = UNSET" in text:
            module.write_text(text.replace("Response, UNSET\n", "Response, UNSET, Unset\n"))


def run(*arguments: str) -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.stderr.write(done.stdout + done.stderr)
        done.check_returncode()


def main(folder: Path) -> None:
    write_client(folder)
    print(f"The client is in {folder / PACKAGE}. docs/client.md shows how to use it.")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "var" / "client")
