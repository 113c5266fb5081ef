"""Lines of the log: the numbers of request and job in each, and nothing that people wrote.

It imports no Django, because gunicorn and Celery format their lines with it before Django is set
up. Begin with `formatters`.
"""
