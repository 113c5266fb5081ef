"""Rows that break the rules of `scoring`."""

from __future__ import annotations

from tests.database.rules.world import Case, again, change

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
]
