"""The cache in Redis, which counts as empty while Redis does not answer.

django-allauth asks the cache for its limits and for used codes, and knows no failing cache. People
must be able to log in without one, so every question gets the answer of an empty cache.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from django.core.cache.backends import redis
from redis.exceptions import RedisError

log = logging.getLogger(__name__)
T = TypeVar("T")
# A login asks several times. Each question would wait for a silent Redis anew.
PAUSE_SECONDS = 5


class LenientRedisCache(redis.RedisCache):
    _paused: ClassVar[dict[str, float]] = {}  # until when, by the address of the server

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._server = str(server)

    def _ask(self, ask: Callable[[], T], empty: T) -> T:
        server = self._server
        if time.monotonic() < self._paused.get(server, 0.0):
            return empty
        try:
            return ask()
        except (OSError, RedisError) as error:
            log.error("The cache failed, so tries to log in are not counted: %s", error)
            self._paused[server] = time.monotonic() + PAUSE_SECONDS
            return empty

    def is_down(self) -> bool:
        return self._ask(lambda: not self._cache.get_client().ping(), True)

    def add(self, *args: Any, **kwargs: Any) -> bool:
        return self._ask(lambda: super(LenientRedisCache, self).add(*args, **kwargs), True)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        ask = super().get
        return self._ask(lambda: ask(key, default, version), default)

    def set(self, *args: Any, **kwargs: Any) -> None:
        self._ask(lambda: super(LenientRedisCache, self).set(*args, **kwargs), None)

    def touch(self, *args: Any, **kwargs: Any) -> bool:
        return self._ask(lambda: super(LenientRedisCache, self).touch(*args, **kwargs), False)

    def delete(self, *args: Any, **kwargs: Any) -> bool:
        return self._ask(lambda: super(LenientRedisCache, self).delete(*args, **kwargs), False)

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """The new number. Raises ValueError for a missing key, like every cache."""
        ask = super().incr
        number = self._ask(lambda: ask(key, delta, version), None)
        if number is None:
            raise ValueError(f"no key {key!r}: the cache failed")
        return number
