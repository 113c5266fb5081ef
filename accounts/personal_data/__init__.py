"""What the server has about a person: a registry of it, its export, and the erasure of a person.

Begin with `registry.py`. Each room registers its rows in a module `personal_rows.py`. The package
imports other modules of accounts, and web; docs/adr/0085-rights-of-people.md has the reasons.
"""
