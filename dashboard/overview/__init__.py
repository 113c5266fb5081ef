"""The overview of a collection: its steps, what each passes on, and what to do next.

Begin with `page.py`.
"""
