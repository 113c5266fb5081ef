"""Commands that load a bundle in other tools. Each is shown if the bundle has its files. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from bundle.names import QRELS, QUERY_TABLE, SUMS

LOADER = "load_ir_datasets.py"
# The files of a bundle that a command reads; of the runs, the first.
USED = frozenset(
    {
        QRELS,
        LOADER,
        SUMS,
        "beir/corpus.jsonl",
        "beir/queries.jsonl",
        "beir/qrels/test.tsv",
        "hf/queries.parquet",
        "hf/top_ranked.parquet",
        "queries.csv",
        "trec/sampleval.all.txt",
    }
)


class Command(NamedTuple):
    """Code with a title. `key` is the id of its element."""

    key: str
    title: str
    code: str


def files_used(files: Collection[str]) -> list[str]:
    """Those of the files that commands name, so that a page need not store all of them."""
    return sorted({*(USED & set(files)), *_runs(files)[:1]})


def _runs(files: Collection[str]) -> list[str]:
    """Runs with the query ids of the qrels: those below runs/ name the query papers instead."""
    by_query = sorted(name for name in files if name.startswith("trec/runs/"))
    if by_query or QUERY_TABLE in files:
        return by_query
    return sorted(name for name in files if name.startswith("runs/"))


@dataclass(frozen=True)
class Loading:
    """The commands that load the bundle that was unpacked into `folder`.

    `relevant_from` is the lowest relevant grade, None in old bundles. Ordinary measures are wrong
    over a sample, so a sample has no command that computes one.
    """

    folder: str
    files: Collection[str]
    relevant_from: int | None
    is_sample: bool

    @property
    def unpacking(self) -> str:
        name = self.folder
        return f"unzip {name}.zip -d {name}\n(cd {name} && sha256sum --check --quiet SHA256SUMS)"

    @property
    def commands(self) -> list[Command]:
        known = [
            Command("pandas", "pandas", self._pandas),
            Command("ir-measures", "ir_measures", self._ir_measures),
            Command("trec-eval", "trec_eval", self._trec_eval),
            Command("ir-datasets", "ir_datasets", self._ir_datasets),
            Command("pyterrier", "PyTerrier", self._pyterrier),
            Command("datasets", "datasets (Hugging Face)", self._datasets),
            Command("beir", "BEIR", self._beir),
        ]
        return [command for command in known if command.code]

    @property
    def _qrels(self) -> str:
        return f"{self.folder}/{QRELS}"

    @property
    def _run(self) -> str:
        runs = _runs(self.files)
        return f"{self.folder}/{runs[0]}" if runs else "my.run"

    @property
    def _pandas(self) -> str:
        code = (
            "import pandas as pd\n\n"
            "qrels = pd.read_csv(\n"
            f'    "{self._qrels}", sep=" ",\n'
            '    names=["query", "iteration", "docno", "grade"],\n'
            '    dtype={"query": str, "docno": str},\n'
            ")\n"
            'print(qrels.groupby("grade").size())'
        )
        if "queries.csv" in self.files:
            code += f'\nqueries = pd.read_csv("{self.folder}/queries.csv", dtype=str)'
        return code

    @property
    def _ir_measures(self) -> str:
        reading = f'import ir_measures\n\nqrels = ir_measures.read_trec_qrels("{self._qrels}")\n'
        if self.is_sample:
            return reading + "print(len(list(qrels)))"
        return (
            f'{reading}run = ir_measures.read_trec_run("{self._run}")\n'
            "print(ir_measures.calc_aggregate([ir_measures.nDCG @ 20], qrels, run))"
        )

    @property
    def _trec_eval(self) -> str:
        if self.is_sample:
            return ""
        level = f" -l {self.relevant_from}" if self.relevant_from else ""
        return f"trec_eval{level} -m map -m ndcg_cut.20 {self._qrels} {self._run}"

    @property
    def _ir_datasets(self) -> str:
        if LOADER not in self.files:
            return ""
        return (
            f'import sys\n\nsys.path.insert(0, "{self.folder}")\n'
            "import ir_datasets\nimport load_ir_datasets\n\n"
            "dataset = ir_datasets.load(load_ir_datasets.NAME)\n"
            "print(sum(1 for _ in dataset.qrels_iter()))"
        )

    @property
    def _pyterrier(self) -> str:
        if self.is_sample:
            return ""
        return (
            "import pyterrier as pt\n\n"
            f'qrels = pt.io.read_qrels("{self._qrels}")\n'
            f'run = pt.io.read_results("{self._run}")\n'
            'print(pt.Evaluate(run, qrels, metrics=["ndcg_cut_20"]))'
        )

    @property
    def _datasets(self) -> str:
        name = next(
            (
                name
                for name in ("hf/queries.parquet", "hf/top_ranked.parquet")
                if name in self.files
            ),
            "",
        )
        if not name:
            return ""
        return (
            "from datasets import load_dataset\n\n"
            f'rows = load_dataset("parquet", data_files="{self.folder}/{name}", split="train")\n'
            "print(rows[0])"
        )

    @property
    def _beir(self) -> str:
        needed = {"beir/corpus.jsonl", "beir/queries.jsonl", "beir/qrels/test.tsv"}
        if self.is_sample or not needed <= set(self.files):
            return ""
        return (
            "from beir.datasets.data_loader import GenericDataLoader\n\n"
            f'corpus, queries, qrels = GenericDataLoader("{self.folder}/beir").load(split="test")'
        )
