"""Questions before judging: which runs to choose, which of two pool plans to build, what other
orders cost, which pairs need a second judge.

It reads final labels and pools, and writes nothing.
"""
