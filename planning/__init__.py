"""Questions before judging: which runs to choose, which of two pool plans to build, what other
orders cost.

It reads final labels and pools, and writes nothing.
"""
