"""Help requests: a judge or an adjudicator asks the admin about a pair or about the guideline.

An answer is for the asker, or for all judges of the facet, and can become an example of the
guideline. No judge sees another's request. `services` writes, `names` finds in a text what it must
not tell, `reading` is for those who ask, and `admin_pages` for admins. The adjudicator's page is in
`adjudication.help_requests`, and his or her questions to judges are in `annotation.questions`.
Begin with docs/adr/0082-help-requests.md.
"""
