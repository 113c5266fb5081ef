"""The rules of the database about the labels of a model.

They stay as they were imported or answered, on the scale, and in one collection.
"""

from __future__ import annotations

from annotation.rules.judgments import COLLECTION_OF_PAIR
from database.triggers import keep, reject

# All but `imported_by`, which becomes NULL with its account.
WRITTEN_ONCE = (
    "id, collection_id, name, description, model, prompt, labelled_on, filename, omitted, "
    "created_at"
)
IS_ASKED = "EXISTS (SELECT 1 FROM evaluation_asking a WHERE a.shadow_judge_id = {judge})"
OFF_THE_SCALE = (
    "NEW.grade > (SELECT c.highest_grade FROM evaluation_shadowjudge j "
    "JOIN accounts_collection c ON c.id = j.collection_id WHERE j.id = NEW.shadow_judge_id)"
)
OF_ANOTHER_COLLECTION = (
    "(SELECT j.collection_id FROM evaluation_shadowjudge j WHERE j.id = NEW.shadow_judge_id) <> "
    + COLLECTION_OF_PAIR.format(row="NEW")
)
# All that can change an answer. The limits can be changed, and the costs are counted.
ASKED_ONCE = (
    "shadow_judge_id, address, key_name, template, template_version, template_sha256, "
    "temperature, seed, max_tokens, limit_name, repetitions, swaps, facets, pairs, currency, "
    "prompt_price, completion_price"
)
IS_A_LABEL = "NEW.grade IS NOT NULL AND NEW.repetition = 1 AND NOT NEW.swapped"

RULES = [
    reject(
        "shadow_judge_stays_as_imported",
        table="evaluation_shadowjudge",
        event="UPDATE",
        columns=WRITTEN_ONCE,
    ),
    # Labels of a model that is asked come one by one.
    reject(
        "shadow_judge_labels_stay_as_imported",
        table="evaluation_shadowjudge",
        event="UPDATE",
        columns="labels_count, sha256",
        when="NOT " + IS_ASKED.format(judge="OLD.id"),
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
    # A label of an asked model is the grade of an answer that was kept, and nothing else.
    reject(
        "shadow_label_of_asked_model_is_an_answer",
        table="evaluation_shadowlabel",
        event="INSERT",
        when=(
            IS_ASKED.format(judge="NEW.shadow_judge_id")
            + " AND NOT EXISTS (SELECT 1 FROM evaluation_modelanswer m "
            "WHERE m.shadow_judge_id = NEW.shadow_judge_id AND m.pair_id = NEW.pair_id "
            "AND m.repetition = 1 AND NOT m.swapped AND m.grade = NEW.grade)"
        ),
    ),
    reject("asking_stays_as_begun", table="evaluation_asking", event="UPDATE", columns=ASKED_ONCE),
    reject("model_answer_never_edited", table="evaluation_modelanswer", event="UPDATE"),
    reject(
        "model_answer_of_an_asked_model",
        table="evaluation_modelanswer",
        event="INSERT",
        when="NOT " + IS_ASKED.format(judge="NEW.shadow_judge_id"),
    ),
    reject(
        "model_answer_on_the_scale",
        table="evaluation_modelanswer",
        event="INSERT",
        when=OFF_THE_SCALE,
    ),
    reject(
        "model_answer_of_its_collection",
        table="evaluation_modelanswer",
        event="INSERT",
        when=OF_ANOTHER_COLLECTION,
    ),
    keep(
        "mark_label_of_model_answer",
        table="evaluation_modelanswer",
        event="INSERT",
        when=IS_A_LABEL,
        statements=[
            "INSERT INTO evaluation_shadowlabel (shadow_judge_id, pair_id, grade) "
            "VALUES (NEW.shadow_judge_id, NEW.pair_id, NEW.grade)"
        ],
    ),
]
