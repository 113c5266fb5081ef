"""The people of a collection: page, table and API."""
