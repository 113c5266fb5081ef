"""The languages of pages: which one a person reads, and how templates and scripts get it (ADR 81).

It imports nothing of other rooms. Begin with `choice.py` for a page's language, and with
`template_messages.py` for how a template is translated when it is loaded.
"""
