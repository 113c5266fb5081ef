"""The docno of a query paper in the address of its pool."""

from django.urls import register_converter
from django.urls.converters import PathConverter

PLAN = "plan"


class PoolDocno(PathConverter):
    """Any docno, with a colon before one that could be the address of a page about plans."""

    def to_python(self, value: str) -> str:
        if value.split("/")[0] == PLAN:
            raise ValueError(f"{value} is the address of a page about plans")
        return value.removeprefix(":")

    def to_url(self, value: str) -> str:
        is_address = value.split("/")[0] == PLAN or value.startswith(":")
        return f":{value}" if is_address else value


register_converter(PoolDocno, "pool_docno")
