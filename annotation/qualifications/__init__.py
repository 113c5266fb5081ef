"""Qualifications: of judges, who have a live queue, and of seniors, who adjudicate.

`standing` reads the latest rows, `services` writes further ones. Rooms above measure a person's
skill; the queue and the statement that locks a slot ask only for the rows here.
"""
