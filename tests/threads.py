"""Calls in threads that start together, each with a database connection of its own."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import connection


def at_once(calls):
    """Run all calls in threads that start together; their results, or what they raised."""
    barrier = Barrier(len(calls))

    def run(call):
        try:
            barrier.wait()
            return call()
        except Exception as error:  # noqa: BLE001
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))
