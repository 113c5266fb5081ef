"""The embedded broker: kombu's folder of messages, made safe against a kill at any moment.

Kombu writes messages and its table of queues in place. A killed process or a full disk leaves such
a file empty or truncated, and kombu's reader then ends the worker. Here a file is written
completely or not at all. An unreadable message is dropped: the job is a row, and the reconciler
sends its message again. docs/adr/0015-filesystem-broker.md explains why private methods of kombu
are overridden.
"""

from __future__ import annotations

import fcntl
import logging
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem, virtual
from kombu.utils.encoding import bytes_to_str, str_to_bytes
from kombu.utils.json import dumps, loads

logger = logging.getLogger(__name__)

MAX_WAIT = 0.5  # seconds


class Channel(filesystem.Channel):  # type: ignore[misc]  # kombu has no types
    def _put(self, queue: str, payload: dict[str, Any], **_: Any) -> None:
        name = f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        _write_atomically(Path(self.data_folder_out) / name, payload)

    def _get(self, queue: str) -> dict[str, Any]:
        for path in sorted(Path(self.data_folder_in).glob(f"*.{queue}.msg")):
            payload = _claim(path)
            if payload is not None:
                return payload
        raise Empty

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        row = [routing_key or "", pattern or "", queue or ""]
        with _file_lock(self.control_folder / "lock"):
            rows = [list(entry) for entry in self.get_table(exchange)]
            if row not in rows:
                _write_atomically(self._exchange_file(exchange), [row, *rows])

    def get_table(self, exchange: str) -> list[Any]:
        try:
            table: list[Any] = super().get_table(exchange)
        except ValueError:
            logger.warning("the queue table of exchange %r is unreadable and is rebuilt", exchange)
            return []
        return table


class Transport(filesystem.Transport):  # type: ignore[misc]
    Channel = Channel

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        # Kombu caches the queues per process, so it would not see a table that was rebuilt.
        self.state = virtual.BrokerState()

    def drain_events(self, connection: Any, timeout: float | None = None) -> None:
        # A worker that is asked to stop first waits for two timeouts. Celery sets each to 2 s.
        super().drain_events(connection, timeout=min(timeout or MAX_WAIT, MAX_WAIT))


def _write_atomically(path: Path, content: Any) -> None:
    part = path.with_name(f"{path.name}.{uuid.uuid4()}.part")
    part.write_bytes(str_to_bytes(dumps(content)))
    part.replace(path)


def _claim(path: Path) -> dict[str, Any] | None:
    """The message, or None if another worker claimed it first or the file is unreadable."""
    claimed_path = path.with_name(f"{path.name}.{uuid.uuid4()}.taken")
    try:
        path.rename(claimed_path)
    except FileNotFoundError:
        return None
    content = claimed_path.read_bytes()
    claimed_path.unlink()
    try:
        payload: dict[str, Any] = loads(bytes_to_str(content))
    except ValueError:
        logger.warning("dropped the unreadable message %s", path.name)
        return None
    return payload


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
