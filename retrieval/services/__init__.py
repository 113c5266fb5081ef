"""The services that write runs."""

from retrieval.run_names import CITED
from retrieval.services.embeddings import import_embeddings
from retrieval.services.query_texts import (
    analysed_name,
    analysis_of,
    available_retrievers,
    check_allowed,
    retriever_named,
    usual_retrievers,
)
from retrieval.services.run_files import names_by_paper, query_names_of, run_lines
from retrieval.services.runs import (
    DEFAULT_DEPTH,
    RunFile,
    RunOptions,
    check_free,
    check_names,
    check_run,
    import_run,
    import_runs,
    open_index,
    remove_run,
    request_run,
    retrieve,
)

__all__ = [
    "CITED",
    "DEFAULT_DEPTH",
    "RunFile",
    "RunOptions",
    "analysed_name",
    "analysis_of",
    "available_retrievers",
    "check_allowed",
    "check_free",
    "check_names",
    "check_run",
    "import_embeddings",
    "import_run",
    "import_runs",
    "names_by_paper",
    "open_index",
    "query_names_of",
    "remove_run",
    "request_run",
    "retrieve",
    "retriever_named",
    "run_lines",
    "usual_retrievers",
]
