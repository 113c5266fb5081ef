"""The README's section on the use of qrels over sampled pools. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bundle.readme.tables import markdown_table
from bundle.sampling import ReleasedSample

ABOUT_SAMPLE = """
Of {labelled} query papers with labels, {sampled} have a pool that is a random sample: of a deep
pool of all documents that some retriever ranked high enough, chance chose those that were judged.
A document that was left out is not known to be irrelevant. **Do not report AP, nDCG, precision,
recall or another ordinary measure over `trec/qrels.*.txt`: each of them takes what was left out
for not relevant.** The strata go by a document's best rank in any list. Drawn pairs without a final
label: {missing}.
"""


ABOUT_ESTIMATES = """
Use instead, from the files that carry the sample:

- `trec/sampleval.*.txt`: inferred AP and inferred nDCG (xinfAP, infNDCG) with NIST's
  `sample_eval.pl`. It lists the whole deep pool; grade -1 is a document that was not drawn or has
  no final label, and stratum 0 holds what was in a pool for certain. Documents without text are in
  neither file, because they could not be judged. `sample_eval.pl` takes leading zeros off the
  query ids of a run.
- `trec/prels.*.txt`: statAP and its kin. The variance that statAP prints is for its own way
  of sampling, which this was not.
- A total, such as the number of relevant documents: the sum of 1/probability over the relevant
  ones in `prels` (Horvitz and Thompson).
"""


def sample_section(sample: ReleasedSample | None) -> Iterator[str]:
    if sample is None:
        return
    yield "## The qrels are a sample"
    yield ABOUT_SAMPLE.format(
        sampled=sample.query_papers,
        labelled=sample.query_papers_labelled,
        missing=sample.drawn_pairs_without_label,
    )
    yield from markdown_table(
        ["strategy", "stratum", "best ranks", "query papers", "documents", "drawn", "probability"],
        [
            [
                f"`{stratum.strategy}`",
                str(stratum.stratum),
                "–".join(map(str, stratum.best_ranks)),
                str(stratum.query_papers),
                str(stratum.documents),
                str(stratum.drawn),
                _chances(stratum.inclusion),
            ]
            for stratum in sample.strata
        ],
    )
    yield ABOUT_ESTIMATES.lstrip()


def _chances(inclusion: Sequence[float] | None) -> str:
    if inclusion is None:
        return "none drawn"
    return " to ".join(dict.fromkeys(f"{chance:.4g}" for chance in inclusion))
