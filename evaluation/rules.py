"""The rules of the database about the labels of a model.

They stay as they were imported, on the scale, and in one collection.
"""

from __future__ import annotations

from annotation.rules.judgments import COLLECTION_OF_PAIR
from database.triggers import reject

# All but `imported_by`, which becomes NULL with its account.
WRITTEN_ONCE = (
    "id, collection_id, name, description, model, prompt, labelled_on, filename, labels_count, "
    "omitted, sha256, created_at"
)
OFF_THE_SCALE = (
    "NEW.grade > (SELECT c.highest_grade FROM evaluation_shadowjudge j "
    "JOIN accounts_collection c ON c.id = j.collection_id WHERE j.id = NEW.shadow_judge_id)"
)
OF_ANOTHER_COLLECTION = (
    "(SELECT j.collection_id FROM evaluation_shadowjudge j WHERE j.id = NEW.shadow_judge_id) <> "
    + COLLECTION_OF_PAIR.format(row="NEW")
)

RULES = [
    reject(
        "shadow_judge_stays_as_imported",
        table="evaluation_shadowjudge",
        event="UPDATE",
        columns=WRITTEN_ONCE,
    ),
    reject("shadow_label_never_edited", table="evaluation_shadowlabel", event="UPDATE"),
    reject(
        "shadow_label_on_the_scale",
        table="evaluation_shadowlabel",
        event="INSERT",
        when=OFF_THE_SCALE,
    ),
    reject(
        "shadow_label_of_its_collection",
        table="evaluation_shadowlabel",
        event="INSERT",
        when=OF_ANOTHER_COLLECTION,
    ),
]
