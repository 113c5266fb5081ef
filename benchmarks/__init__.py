"""The import of known benchmarks: MDCR, LitSearch, DORIS-MAE and RELISH, from their own files.

It may import every room below `csfcube` but `release` and above. Begin with `records.py`: a module
for each benchmark reads its files into a `Benchmark`, and `services.py` makes a collection of it.
The labels are those of the benchmark (`scoring.models.PublishedLabels`). They never count as
judgments.
"""
