"""The screening of a sample: paper types and suitability, one paper at a time.

Begin with `services.py`.
"""
