"""The correction of sentence labels and boundaries by people, one document at a time.

Begin with `services.py`, which writes, and `queue.py`, which chooses the next document.
"""
