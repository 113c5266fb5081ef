"""Questions before and while judging: which runs to choose, which of two pool plans to build, what
other orders cost, what an hour of judging finds, and which queries could stop.

It reads final labels and pools, and writes nothing but its stored report.
"""
