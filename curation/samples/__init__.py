"""Random samples of a corpus, by period and paper type.

Begin with `services.py`; `strata.py` is the pure part.
"""
