"""Errors about runs, retrievers and indexes."""

from web.errors import UserFacingError


class RetrievalError(UserFacingError):
    """A run or a retriever cannot do what was requested."""
