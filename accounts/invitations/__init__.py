"""Invitations by email: the mail has a link, and the person who opens it accepts the role.

Begin with `services.py`. `addresses.py` reads a pasted list, `views.py` has the page of the link.
`dashboard` lists the invitations of a collection on its page *People*.
"""
