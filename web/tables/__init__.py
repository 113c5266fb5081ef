"""Tables: columns, filters, pages of rows, CSV. Begin with `columns.py`."""
