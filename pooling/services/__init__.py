"""Everything that writes runs and pools."""

from pooling.services.asking import check_allowed, offered
from pooling.services.corpus import CorpusChanged, corpus_digest
from pooling.services.embeddings import import_embeddings
from pooling.services.errors import PoolingError
from pooling.services.manifest import builds_with_pools, manifest_file, manifest_text
from pooling.services.manifest_reading import Released, WrongFile
from pooling.services.manifest_reading import opened as opened_manifests
from pooling.services.plan import DEFAULT_STRATEGY, ONLY, PoolPlan, usually_forced
from pooling.services.pools import (
    build_pools,
    freeze_pool,
    freeze_pools,
    request_pools,
)
from pooling.services.rebuilding import Differs, Proof, rebuild_pools
from pooling.services.run_files import run_lines
from pooling.services.runs import (
    CITED,
    DEFAULT_DEPTH,
    check_free,
    import_run,
    open_index,
    remove_run,
    request_run,
    retrieve,
)
from pooling.services.samples import SampledPool, SampleLost, sampled_pools
from pooling.services.waiting import SideBySide

__all__ = [
    "CITED",
    "DEFAULT_DEPTH",
    "DEFAULT_STRATEGY",
    "ONLY",
    "CorpusChanged",
    "Differs",
    "PoolPlan",
    "PoolingError",
    "Proof",
    "Released",
    "SampleLost",
    "SampledPool",
    "SideBySide",
    "WrongFile",
    "build_pools",
    "builds_with_pools",
    "check_allowed",
    "check_free",
    "corpus_digest",
    "freeze_pool",
    "freeze_pools",
    "import_embeddings",
    "import_run",
    "manifest_file",
    "manifest_text",
    "offered",
    "open_index",
    "opened_manifests",
    "rebuild_pools",
    "remove_run",
    "request_pools",
    "request_run",
    "retrieve",
    "run_lines",
    "sampled_pools",
    "usually_forced",
]
