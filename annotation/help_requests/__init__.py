"""Help requests: a judge asks the admin about a pair or about the guideline, and gets an answer.

An answer is for the asker, or for all judges of the facet, and can become an example of the
guideline. No judge sees another's request. `services` writes, `names` finds in a text what it must
not tell, `reading` is for judges, and `admin_pages` for admins. The adjudicator's questions to
judges are in `annotation.questions`. Begin with docs/adr/0082-help-requests.md.
"""
