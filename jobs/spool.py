"""The embedded broker: kombu's folder of messages, safe against a kill at any moment.

Kombu writes messages and its table of queues in place, and its reader ends the whole worker on a
file that is empty or cut short: what a killed process or a full disk leaves behind. Here files
appear whole or not at all, and what cannot be read is dropped: the job's row is the truth, and the
reconciler sends a message again.
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

LONGEST_WAIT = 0.5  # seconds


class Channel(filesystem.Channel):  # type: ignore[misc]  # kombu has no types
    def _put(self, queue: str, payload: dict[str, Any], **_: Any) -> None:
        name = f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        _write_whole(Path(self.data_folder_out) / name, payload)

    def _get(self, queue: str) -> dict[str, Any]:
        for path in sorted(Path(self.data_folder_in).glob(f"*.{queue}.msg")):
            payload = _take(path)
            if payload is not None:
                return payload
        raise Empty

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        row = [routing_key or "", pattern or "", queue or ""]
        with _locked(self.control_folder / "lock"):
            rows = [list(known) for known in self.get_table(exchange)]
            if row not in rows:
                _write_whole(self._exchange_file(exchange), [row, *rows])

    def get_table(self, exchange: str) -> list[Any]:
        try:
            table: list[Any] = super().get_table(exchange)
        except ValueError:
            logger.warning("the table of exchange %r was unreadable and is made anew", exchange)
            return []
        return table


class Transport(filesystem.Transport):  # type: ignore[misc]
    Channel = Channel

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        # Kombu remembers per process which queues are known; here the folder is asked.
        self.state = virtual.BrokerState()

    def drain_events(self, connection: Any, timeout: float | None = None) -> None:
        # A worker asked to stop sits out two of these waits, which Celery makes two seconds long.
        super().drain_events(connection, timeout=min(timeout or LONGEST_WAIT, LONGEST_WAIT))


def _write_whole(path: Path, content: Any) -> None:
    part = path.with_name(f"{path.name}.{uuid.uuid4()}.part")
    part.write_bytes(str_to_bytes(dumps(content)))
    part.replace(path)


def _take(path: Path) -> dict[str, Any] | None:
    """The message, now nobody else's; None where another worker was quicker or nothing is in it."""
    mine = path.with_name(f"{path.name}.{uuid.uuid4()}.taken")
    try:
        path.rename(mine)
    except FileNotFoundError:
        return None
    content = mine.read_bytes()
    mine.unlink()
    try:
        payload: dict[str, Any] = loads(bytes_to_str(content))
    except ValueError:
        logger.warning("dropped the unreadable message %s", path.name)
        return None
    return payload


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
