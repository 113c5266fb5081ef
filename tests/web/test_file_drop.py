"""Every file input of a page is in a zone to drop a file on."""

from __future__ import annotations

import re

import pytest

from tests.support.factories import DocumentFactory, a_collection
from tests.support.visits import address, client_of, text_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("name", "inputs"),
    [("import-documents", 1), ("add-query", 1), ("add-run", 3), ("import-judgments", 1)],
)
def test_each_file_input_has_its_zone(settings, name, inputs):
    settings.MAX_UPLOAD_BYTES = 3 * 1024 * 1024
    DocumentFactory(collection=a_collection())

    page = text_of(client_of("admin").get(address(name)))

    zones = re.findall(r'<div class="drop" data-limit="3145728"> <input type="file"', page)
    assert len(zones) == page.count('type="file"') == inputs
    assert page.count("At most 3.0 MB.") == inputs
    assert "js/drop.js" in page


def test_the_zone_names_the_types_of_file(client):
    DocumentFactory(collection=a_collection())

    page = text_of(client_of("admin").get(address("add-run")))

    assert 'accept=".npy"' in page
    assert "Choose a file or drop it here (.npy). At most" in page
