"""An adjudicator asks the admin about a case, as judges ask about their pairs.

The rows, the admin's list and the answers are those of `annotation.help_requests`.
"""
