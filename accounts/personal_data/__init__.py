"""Rights of people: a registry of the rows about a person, their export, and erasures.

Begin with `registry.py`. Each room registers its rows in a module `personal_rows.py`. The package
imports other modules of accounts, and web; docs/adr/0085-rights-of-people.md has the reasons.
"""
