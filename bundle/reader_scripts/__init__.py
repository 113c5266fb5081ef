"""Scripts that a release contains for its readers. They are copied as they are, and import nothing
of ours.
"""
