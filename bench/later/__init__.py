"""What comes after the first judging: late runs, a pool round, a model's labels and its asking.

Parts of `make bench-judging`, on the state of `bench.judging`. `parts` names them, and `steps` runs
in processes of their own.
"""
