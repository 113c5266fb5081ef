"""Files of the retrievers: index folders, arrays, tables of strings. Pure."""
