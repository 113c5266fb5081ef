"""Who has qualified: as a judge, who has a live queue, or as a senior, who adjudicates.

`standing` reads the latest rows, `services` writes further ones. Rooms above measure a person's
skill; the queue and the statement that locks a slot ask only for the rows here.
"""
