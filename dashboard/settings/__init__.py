"""The settings of a collection, its archive, export and deletion."""
