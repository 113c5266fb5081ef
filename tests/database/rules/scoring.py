"""Rows that break the rules of `scoring`."""

from __future__ import annotations

from tests.database.rules.world import Case, again, change, delete

CASES = [
    Case("system_name_once", lambda world: again(world.system)),
    Case("system_kind_known", lambda world: change(world.system, kind="guess")),
    Case("system_ranking_once_per_query", lambda world: again(world.system_ranking)),
    Case("scores_once_per_source_and_profile", lambda world: again(world.scores)),
    Case("scoring_fold.query_id", lambda world: again(world.fold)),
    Case("fold_number_is_not_too_high", lambda world: change(world.fold, number=21)),
    Case("scoring_foldplan.collection_id", lambda world: again(world.fold_plan)),
    Case(
        "folds_are_imported_or_made", lambda world: change(world.fold_plan, imported_from="f.json")
    ),
    Case("made_folds_are_not_too_many", lambda world: change(world.fold_plan, made=21)),
    Case("scoring_publishedlabelset.collection_id", lambda world: again(world.published_set)),
    Case("scoring_publishedlabels.query_id", lambda world: again(world.published_labels)),
    Case(
        "published_labels_have_an_origin",
        lambda world: again(world.published_set, origin=""),
    ),
    Case(
        "published_label_set_never_edited",
        lambda world: change(world.published_set, origin="people"),
    ),
    Case("published_label_set_never_deleted", lambda world: delete(world.published_set)),
    Case("published_labels_never_edited", lambda world: change(world.published_labels, grades={})),
    Case("published_labels_never_deleted", lambda world: delete(world.published_labels)),
]
