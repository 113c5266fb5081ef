"""Retrievers by name."""

import re

import pytest

from retrieval.retrievers import (
    BUILT_IN,
    CATALOGUE,
    Faceted,
    NoSuchRetriever,
    index_key,
    is_retriever,
    retriever,
)
from web.errors import UserFacingError

BY_WORDS = [
    "bm25_title",
    "bm25_abstract",
    "bm25_text",
    "tfidf_title",
    "tfidf_abstract",
    "cbow_title",
    "cbow_abstract",
    "tfidf_cbow_title",
    "tfidf_cbow_abstract",
]


def test_the_catalogue_has_the_retrievers_by_words_first_each_with_a_line():
    assert set(BY_WORDS) <= set(CATALOGUE)
    by_words = ["field" in retriever(name).parameters for name in CATALOGUE]
    assert by_words == sorted(by_words, reverse=True)
    assert all(line and "\n" not in line for line in CATALOGUE.values())


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_retriever_has_the_name_it_is_found_by(name):
    assert retriever(name).name == name
    assert is_retriever(name)


def test_the_default_ones_are_the_four_lexical_ones():
    assert list(BUILT_IN) == ["bm25_title", "bm25_abstract", "tfidf_title", "tfidf_abstract"]


@pytest.mark.parametrize("name", ["bm25_abstract", "bm25_text", "tfidf_cbow_abstract"])
def test_a_facet_variant_is_its_base_asked_otherwise(name):
    faceted = retriever(f"{name}@method")
    assert isinstance(faceted, Faceted)
    assert (faceted.name, faceted.facet, faceted.base) == (
        f"{name}@method",
        "method",
        retriever(name),
    )
    assert faceted.parameters == {**retriever(name).parameters, "facet": "method"}
    assert (faceted.kind, faceted.version) == (faceted.base.kind, faceted.base.version)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bm52_title", "Unknown retriever 'bm52_title'; use bm25_title, bm25_abstract"),
        ("", "Unknown retriever ''"),
        ("specter@method", "Unknown retriever 'specter'"),
        ("bm25_title@method", "a title has no facets; use .* bm25_abstract@method"),
        ("tfidf_cbow_title@x", "a title has no facets; use .* tfidf_cbow_abstract@x"),
        ("bm25_abstract@", "bm25_abstract@ has no facet"),
        ("encoder:", "has no model"),
        ("encoder:x?pooling=max", "pooling must be one of model, mean, cls"),
        ("encoder:x?metric=dot", "metric must be one of cosine, l2"),
        ("encoder:x?color=red", "unknown setting 'color'"),
    ],
)
def test_what_is_no_retriever_is_refused_in_words(name, message):
    with pytest.raises(NoSuchRetriever, match=message) as caught:
        retriever(name)
    assert isinstance(caught.value, UserFacingError)
    assert not is_retriever(name)


@pytest.mark.parametrize(
    "name",
    [
        "encoder:some/model",
        "encoder:some/model?pooling=cls",
        "encoder:some/model?pooling=mean&metric=l2&separator= ",
    ],
)
def test_an_encoder_s_name_says_what_differs_from_the_default(name):
    assert retriever(name).name == name


def test_every_retriever_has_an_index_of_its_own():
    keys = {index_key("corpus", retriever(name)) for name in CATALOGUE}
    assert len(keys) == len(CATALOGUE)
    assert all(re.fullmatch("[0-9a-f]{16}", key) for key in keys)
