"""A storage that speaks S3, as machines without a common folder share it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import boto3
import pytest
from django.test import override_settings
from moto.server import ThreadedMotoServer

NOBODY_LISTENS = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "of-tests")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def use_bucket(endpoint: str, request: pytest.FixtureRequest, settings: Any) -> Callable[..., Any]:
    """Make an empty bucket of the test alone, and use it from then on."""

    def use(name: str = "") -> Any:
        resource = boto3.resource("s3", endpoint_url=endpoint)
        bucket = resource.Bucket(f"test-{abs(hash(request.node))}{name}")
        bucket.create()
        settings.FILES_BUCKET = bucket.name
        settings.STORAGES = {**settings.STORAGES, "shared": storage(endpoint, bucket.name)}
        return bucket

    return use


@pytest.fixture
def bucket(use_bucket: Callable[..., Any]) -> Any:
    return use_bucket()


STORAGE_FIXTURES = (endpoint, use_bucket, bucket)


def storage(endpoint: str, name: str) -> dict[str, Any]:
    options = {"bucket_name": name, "endpoint_url": endpoint, "location": "some/prefix"}
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}


def keys(bucket: Any) -> list[str]:
    return sorted(each.key for each in bucket.objects.all())


def contents(bucket: Any) -> dict[str, bytes]:
    return {each.key: each.get()["Body"].read() for each in bucket.objects.all()}


@contextmanager
def storage_out_of_reach(settings: Any) -> Iterator[None]:
    with override_settings(
        STORAGES={**settings.STORAGES, "shared": storage(NOBODY_LISTENS, settings.FILES_BUCKET)}
    ):
        yield
