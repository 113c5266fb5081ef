"""Writing files to a zip whose bytes depend on nothing but the files.

Begin with `writing.py`. It imports nothing else of `bundle`.
"""
