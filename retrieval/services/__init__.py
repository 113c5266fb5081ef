"""The services that write runs."""

from retrieval.services.embeddings import import_embeddings
from retrieval.services.query_texts import available_retrievers, check_allowed
from retrieval.services.run_files import run_lines
from retrieval.services.runs import (
    CITED,
    DEFAULT_DEPTH,
    check_free,
    import_run,
    open_index,
    remove_run,
    request_run,
    retrieve,
)

__all__ = [
    "CITED",
    "DEFAULT_DEPTH",
    "available_retrievers",
    "check_allowed",
    "check_free",
    "import_embeddings",
    "import_run",
    "open_index",
    "remove_run",
    "request_run",
    "retrieve",
    "run_lines",
]
