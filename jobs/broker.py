"""The embedded broker: kombu's folder of messages, made safe against a kill at any moment.

Kombu writes messages in place, so a killed process or a full disk leaves a half file, and kombu's reader then ends
the worker. Here a message is written whole or not at all, and one that cannot be read is dropped: the job is a row,
and the reaper sends it again.
"""

from __future__ import annotations

import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

MAX_WAIT = 0.5  # seconds: a worker asked to stop first waits for the channel's time-out


class Channel(filesystem.Channel):
    def _put(self, queue: str, payload: dict[str, Any], **_: Any) -> None:  # type: ignore[override]
        path = Path(self.data_folder_out) / f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        part = path.with_suffix(".part")
        part.write_text(dumps(payload))
        part.replace(path)

    def _get(self, queue: str, timeout: Any = None) -> Any:
        for path in sorted(Path(self.data_folder_in).glob(f"*.{queue}.msg")):
            taken = path.with_suffix(".taken")
            try:
                path.rename(taken)
                message = loads(taken.read_text())
            except (FileNotFoundError, ValueError):  # another worker took it; or it is unreadable
                taken.unlink(missing_ok=True)
                continue
            taken.unlink()
            return message
        raise Empty


class Transport(filesystem.Transport):
    Channel = Channel

    def drain_events(self, connection: Any, timeout: float | None = None, **_: Any) -> None:
        super().drain_events(connection, timeout=min(timeout or MAX_WAIT, MAX_WAIT))
