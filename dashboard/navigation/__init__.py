"""Tabs, breadcrumbs and search: where a person can go. Begin with `stages.py`, the one list of pages."""
