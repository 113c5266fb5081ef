"""Asking a model for its labels, at an address that speaks OpenAI's chat protocol.

An `Asking` says what is asked, and each answer is kept as it came. `templates/` has the prompts.
`prompts.py` and `answers.py` are pure: what is sent, and the grade in what comes back. Begin with
`models.py`, then `conversation.py`, the loop that sends requests within rate and budget.
"""
