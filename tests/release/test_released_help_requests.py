"""What a release says of judgments that were made after an answer of an admin."""

from __future__ import annotations

import pytest

from tests.support.factories import a_collection, an_open_query
from tests.support.help_scenes import answer, ask_admin
from tests.support.released_files import files_of
from tests.support.sittings import judge, slots_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
FILE = "annotations/help_requests.csv"


def test_the_release_lists_judgments_made_after_an_answer_about_their_pair():
    opening = an_open_query(a_collection(), size=4)
    own = slots_of(opening, "ann1")
    others = {slot.pair_id: slot for slot in slots_of(opening, "ann2")}
    theirs = [others[slot.pair_id] for slot in own]
    judge(own[0], 1)  # before the answer
    for slot in own[:3]:
        request = ask_admin(slot)
        answer(request, for_all=slot == own[2])
    answer(ask_admin(own[3], on_guideline=True))
    for slot in (*own[1:], *theirs):
        judge(slot, 3 if slot == theirs[1] else 1)
    files = files_of(opening.query.collection)
    names = [slot.pair.candidate.document.docno for slot in own]

    rows = sorted(
        f"{opening.query.name},{row}"
        for row in (
            f"{names[1]},1",
            f"{names[2]},1",
            f"{names[2]},2",
        )
    )
    assert files[FILE].decode().split() == ["query,docno,slot", *rows]
    readme = " ".join(files["README.md"].decode().split())
    assert "3 judgments of 2 pairs were made after an admin answered" in readme
    assert "to 1 of 2 such pairs with two grades, and to 2 of 2 other pairs." in readme
    assert "Is a survey a method?" not in "".join(map(repr, files.values()))


def test_without_an_answer_about_a_pair_the_release_says_nothing_of_it():
    opening = an_open_query(a_collection(), size=1)
    ask_admin(slots_of(opening, "ann1")[0])
    for name in ("ann1", "ann2"):
        judge(slots_of(opening, name)[0], 1)
    files = files_of(opening.query.collection)

    assert FILE not in files
    assert "answered a question" not in files["README.md"].decode()
