"""What retrievers keep on disk: index folders, arrays, tables of strings. Pure."""
