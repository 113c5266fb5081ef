"""The fast spellings are the plain ones."""

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from corpus.digests import canonical_json, text_digest
from corpus.documents.rows import row_of
from corpus.formats.document_lines import DocumentRecord
from corpus.text import sentences as rule
from corpus.text.sentences import split_sentences

texts = st.lists(st.text(st.characters(exclude_categories=["Cs"]))).map(tuple)


@given(st.text(st.characters(exclude_categories=["Cs"])), texts, texts)
def test_a_digest_is_that_of_the_canonical_json(title, sentences, labels):
    plain = canonical_json([title, list(sentences), list(labels)])

    assert text_digest(title, sentences, labels) == hashlib.sha256(plain).hexdigest()


@given(texts)
def test_a_row_spells_lists_as_json_does(authors):
    row = row_of(DocumentRecord("d", "", (), authors=authors))

    assert row[7] == json.dumps(list(authors))


@given(st.text(alphabet=".!? aA1\"')[]"))
def test_ascii_texts_are_split_as_all_are(text):
    ours = split_sentences(text)
    ascii_only, rule._ASCII_END = rule._ASCII_END, rule._END
    try:
        assert split_sentences(text) == ours
    finally:
        rule._ASCII_END = ascii_only
