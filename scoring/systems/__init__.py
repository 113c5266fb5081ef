"""Systems: their lists, from runs of the collection, from files, and made here."""
