"""The choice of queries that are even over years, paper types and facets.

Begin with `services.py`; `balance.py` and `linear_program.py` are the pure solver.
"""
