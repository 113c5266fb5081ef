"""Records to the bytes of one file: CSV, JSON Lines, TREC, Parquet, HTML. Sorted, and pure.

It imports `bundle.records` and nothing of the layouts. Begin with `records.py`.
"""
