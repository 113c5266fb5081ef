"""The questions of a datasheet, the answers, and the facts that answer some of them.

It imports no Django. Begin with `questions.py`. `release.datasheets` stores the answers.
"""
