"""What goes wrong in pooling."""


class PoolingError(Exception):
    """Something asked of pooling cannot be done; the message is for the person who asked."""

    is_for_people = True
