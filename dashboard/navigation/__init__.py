"""Tabs, breadcrumbs and search. Begin with `stages.py`, the one list of pages."""
