"""Django's database backend for SQLite, with writers that wait their turn evenly."""
