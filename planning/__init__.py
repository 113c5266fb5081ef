"""Questions before and while judging: which runs to choose, which of two pool plans to build, what
other orders cost, which pairs need a second judge, what an hour finds, which queries could stop.

It reads final labels and pools, and writes nothing but its stored report.
"""
