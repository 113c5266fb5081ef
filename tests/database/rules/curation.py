"""Rows that break the rules of `curation`."""

from __future__ import annotations

from django.utils import timezone

from tests.database.rules.world import Case, again, change

CASES = [
    Case("labeller_name_once", lambda world: again(world.labeller)),
    Case("labeller_has_name", lambda world: again(world.labeller, name="")),
    Case("curation_labelrecord.document_id", lambda world: again(world.label_record)),
    Case(
        "label_record_checked_by_a_person",
        lambda world: change(world.label_record, checked_at=timezone.now()),
    ),
    Case(
        "label_record_has_a_source",
        lambda world: change(world.label_record, labeller="", lowest_confidence=None),
    ),
    Case(
        "label_record_predicted_with_confidence",
        lambda world: change(world.label_record, lowest_confidence=1.5),
    ),
    Case(
        "label_record_predicted_with_confidence",
        lambda world: change(world.label_record, lowest_confidence=None),
    ),
    Case("paper_type_key_once", lambda world: again(world.paper_type, position=9)),
    Case("paper_type_position_once", lambda world: again(world.paper_type, key="other")),
    Case("sample_name_once", lambda world: again(world.sample)),
    Case("sample_has_name", lambda world: again(world.sample, name="")),
    Case("sampled_paper_once", lambda world: again(world.sampled_paper, position=9)),
    Case(
        "sampled_paper_position_once",
        lambda world: again(world.sampled_paper, document=world.query_paper.document),
    ),
    Case("screening_once", lambda world: again(world.screening)),
    Case("screening_rating_is_1_to_5", lambda world: change(world.screening, rating=6)),
    Case("query_choice_once", lambda world: again(world.query_choice)),
    Case("query_choice_stays", lambda world: change(world.query_choice, inputs="1" * 64)),
]
