"""Adding a column to a table that has rows and rules keeps both."""

import pytest
from django.core.management import call_command
from django.db import connection

from tests.factories import DocumentFactory, a_collection


def rules() -> list[str]:
    question = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' "
        "AND tbl_name = 'corpus_document'",
        "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal "
        "AND tgrelid = 'corpus_document'::regclass",
    }[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(question)
        return [name for (name,) in cursor.fetchall()]


@pytest.mark.django_db(transaction=True)
def test_documents_and_the_rule_about_their_text_outlive_the_new_columns():
    collection = a_collection()
    DocumentFactory(collection=collection, docno="d1", title="Kept", fields=["gone"])
    before = rules()

    call_command("migrate", "corpus", "0001", verbosity=0)
    call_command("migrate", "corpus", verbosity=0)

    document = collection.documents.get()
    assert (document.title, document.fields, document.is_topic) == ("Kept", [], False)
    assert rules() == before == ["document_text_in_frozen_pool"]
