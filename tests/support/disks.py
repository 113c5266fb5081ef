"""Small disks and read-only folders, mounted for a test."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support import machine


class SmallDisk:
    """A file system of its own that can be filled, all but some bytes, and emptied again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self, *, but: int = 0) -> None:
        """Leave room for so many bytes, and no more."""
        self.free()
        block = bytes(64 * 1024)
        with self._filler.open("wb", buffering=0) as stream:
            try:
                while True:
                    stream.write(block)
            except OSError:  # it is full
                stream.truncate(max(0, stream.tell() - but))

    def free(self) -> None:
        self._filler.unlink(missing_ok=True)


@contextmanager
def small_disk(folder: Path, size: str = "24m") -> Iterator[SmallDisk]:
    folder.mkdir()
    with _mounted(folder, ["-t", "tmpfs", "-o", f"size={size}", "tmpfs"]):
        yield SmallDisk(folder)


@contextmanager
def read_only(folder: Path, seen_at: Path) -> Iterator[Path]:
    """The folder, seen at another place where nothing can be written."""
    seen_at.mkdir()
    with _mounted(seen_at, ["-o", "bind,ro", str(folder)]):
        yield seen_at


@contextmanager
def _mounted(at: Path, what: list[str]) -> Iterator[None]:
    try:
        done = subprocess.run(
            ["mount", *what, str(at)], check=False, capture_output=True, text=True
        )
        problem = done.stderr.strip() if done.returncode else ""
    except FileNotFoundError:
        problem = "there is no command mount"
    if problem:
        machine.absent(f"nothing can be mounted here, which needs root: {problem}")
    try:
        yield
    finally:
        # Lazily: a mapped index may still be open.
        subprocess.run(["umount", "--lazy", str(at)], check=True)
