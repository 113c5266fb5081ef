"""`make machines-check`: machines that share no folder, and of which processes are killed.

`rig` has the processes, `judges` the people, `__main__` what happens.
"""
