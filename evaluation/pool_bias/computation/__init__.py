"""The bias of pools: leaving sources out, bounds, growth, the statement. Pure.

It imports `scoring.measures` and `scoring.statistics`. Begin with `leave_out.py`.
"""
