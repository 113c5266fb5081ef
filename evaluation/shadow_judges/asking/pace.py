"""When the next request may leave, and when a failed one is tried again. Pure: time is passed in.

Times are seconds of any clock that never goes back.
"""

from __future__ import annotations

MOST_ATTEMPTS = 6  # of a request that fails
LONGEST_BACKOFF = 60.0  # seconds


class TokenBucket:
    """Lets `per_minute` requests leave in a minute, and up to `burst` of them at once."""

    def __init__(self, per_minute: int, burst: int, now: float) -> None:
        self.per_second = per_minute / 60
        self.burst = burst
        self._tokens, self._filled_at = float(burst), now

    def take(self, now: float) -> bool:
        """Take a token, if there is one."""
        self._fill(now)
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def wait(self, now: float) -> float:
        """The seconds until there is a token."""
        self._fill(now)
        return max(0.0, (1 - self._tokens) / self.per_second)

    def _fill(self, now: float) -> None:
        more = (now - self._filled_at) * self.per_second
        # The sum of many small parts may miss a whole token by the last digit.
        self._tokens = min(float(self.burst), round(self._tokens + more, 9))
        self._filled_at = now


def burst_of(per_minute: int, concurrency: int) -> int:
    """A second's worth of requests, and no more than may be on their way at once."""
    return max(1, min(concurrency, per_minute // 60))


def backoff(attempts: int, first: float) -> float:
    """The seconds before the next attempt, twice as many after each: `first`, 2·`first`, …"""
    return min(LONGEST_BACKOFF, first * 2.0 ** (attempts - 1))
