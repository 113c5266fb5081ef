"""Triggers that keep the number of due spot checks of each query.

A due spot check is a pair whose two grades are equal, whose number is below the share of its
collection, and whose two judgments have no blind rating. The numbers in the names give the order in
which PostgreSQL runs and locks, by name.
"""

from __future__ import annotations

from adjudication.rules.blind import RATING
from annotation.rules.counts import LOCK_COUNT, QUERY_OF, count_shown
from database.triggers import keep

COUNT = "adjudication_spotcheckcount"
AGREED = (
    "FROM annotation_pair p JOIN annotation_slot a ON a.pair_id = p.id AND a.number = 1 "
    "JOIN annotation_slot b ON b.pair_id = p.id AND b.number = 2 "
    "JOIN annotation_judgment one ON one.id = {first} "
    "JOIN annotation_judgment two ON two.id = {second} "
    "JOIN corpus_query q ON q.id = p.query_id JOIN accounts_collection c ON c.id = q.collection_id "
    "WHERE one.grade = two.grade "
)
UNRATED = (
    f"AND NOT EXISTS (SELECT 1 FROM {RATING} r WHERE r.pair_id = p.id "
    "AND r.first_id = one.id AND r.second_id = two.id{also})"
)
# The pair of a slot, when the slot shows the judgment of `row`.
SHOWN = (
    AGREED.format(
        first="CASE {row}.number WHEN 1 THEN {row}.judgment_id ELSE a.judgment_id END",
        second="CASE {row}.number WHEN 2 THEN {row}.judgment_id ELSE b.judgment_id END",
    )
    + "AND p.id = {row}.pair_id AND p.referral_count = 0 "
    + f"AND p.spot_check_number < c.spot_check_share {UNRATED.format(also='')}"
)
STANDING = AGREED.format(first="a.judgment_id", second="b.judgment_id")
# The pair of `row`, while it was referred as often as `row` says.
REFERRED = (
    f"{STANDING} AND p.id = {{row}}.id AND {{row}}.referral_count = 0 "
    f"AND p.spot_check_number < c.spot_check_share {UNRATED.format(also='')}"
)
# The pair of a new rating, before it had that.
RATED = (
    f"{STANDING} AND p.id = NEW.pair_id AND p.referral_count = 0 "
    "AND one.id = NEW.first_id AND two.id = NEW.second_id "
    f"AND p.spot_check_number < c.spot_check_share {UNRATED.format(also=' AND r.id <> NEW.id')}"
)
OF_SHARE = (
    f"{STANDING} AND c.id = NEW.id AND p.referral_count = 0 "
    f"AND p.spot_check_number < NEW.spot_check_share {UNRATED.format(also='')}"
)
ONE_MORE = f"ON CONFLICT (query_id) DO UPDATE SET due = {COUNT}.due + 1"
ONE_LESS = f"UPDATE {COUNT} SET due = due - 1 WHERE query_id = "

SPOT_CHECK_COUNTS = [
    count_shown(
        "count_5_spot_check_due",
        "NEW",
        f"INSERT INTO {COUNT} (query_id, due) SELECT p.query_id, 1 {SHOWN} {ONE_MORE}",
    ),
    count_shown(
        "count_5_spot_check_due_no_longer",
        "OLD",
        f"{ONE_LESS}{QUERY_OF} AND EXISTS (SELECT 1 {SHOWN})",
    ),
    keep(
        "count_5_spot_check_referred",
        table="annotation_pair",
        event="UPDATE",
        columns="referral_count",
        when="NEW.referral_count <> OLD.referral_count",
        statements=[
            f"{ONE_LESS}NEW.query_id AND EXISTS (SELECT 1 {REFERRED.format(row='OLD')})",
            f"INSERT INTO {COUNT} (query_id, due) SELECT p.query_id, 1 "
            f"{REFERRED.format(row='NEW')} {ONE_MORE}",
        ],
    ),
    # An admin may change the share meanwhile, so both lock the counts of the query first.
    keep(
        "count_5_spot_check_rated",
        table=RATING,
        event="INSERT",
        lock=LOCK_COUNT + QUERY_OF.format(row="NEW"),
        statements=[
            f"{ONE_LESS}{QUERY_OF.format(row='NEW')} AND EXISTS (SELECT 1 {RATED})",
        ],
    ),
    keep(
        "count_5_spot_check_share",
        table="accounts_collection",
        event="UPDATE",
        columns="spot_check_share",
        when="NEW.spot_check_share <> OLD.spot_check_share",
        lock=(
            "SELECT 1 FROM annotation_paircount WHERE query_id IN "
            "(SELECT q.id FROM corpus_query q WHERE q.collection_id = NEW.id) ORDER BY query_id"
        ),
        statements=[
            f"UPDATE {COUNT} SET due = 0 WHERE query_id IN "
            "(SELECT q.id FROM corpus_query q WHERE q.collection_id = NEW.id)",
            f"INSERT INTO {COUNT} (query_id, due) SELECT p.query_id, COUNT(*) {OF_SHARE} "
            "GROUP BY p.query_id ON CONFLICT (query_id) DO UPDATE SET due = excluded.due",
        ],
    ),
]
