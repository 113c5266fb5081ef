"""Libraries that the usual installation leaves out because they are large."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from web.errors import BadInput


@dataclass(frozen=True)
class Extra:
    """`name` is that of pyproject.toml, `package` what is imported."""

    library: str
    name: str
    package: str

    @property
    def is_missing(self) -> bool:
        return find_spec(self.package) is None

    def require(self, what: str) -> None:
        if self.is_missing:
            raise BadInput(f"{what} needs {self.library}. Install it where the workers run: {self.install}")

    @property
    def install(self) -> str:
        """In the project's folder: no package index has it under its name."""
        return f'pip install ".[{self.name}]"'


WORD2VEC = Extra("gensim", "word2vec", "gensim")
ENCODERS = Extra("sentence-transformers", "encoders", "sentence_transformers")
