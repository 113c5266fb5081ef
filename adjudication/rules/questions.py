"""Rules about who may be asked what, and the counts of due cases while judges are asked."""

from __future__ import annotations

from adjudication.rules.counts import (
    COUNT_DUE,
    DIFFERENCE,
    DUE_PAIR,
    ONE_MORE,
    UNCOUNT_DUE,
    UNDECIDED_PAIR,
)
from adjudication.rules.decisions import DECISION
from annotation.rules.counts import QUERY_OF
from annotation.rules.questions import KEPT_ANSWER, QUESTION, waits_for_a_judge
from database.triggers import keep, reject

NO_CASE = (
    "NOT EXISTS (SELECT 1 FROM annotation_pair p WHERE p.id = NEW.pair_id AND EXISTS "
    f"(SELECT 1 {UNDECIDED_PAIR.format(row='p')} "
    "AND one.id = NEW.first_id AND two.id = NEW.second_id))"
)
# A second question would tell a judge who kept the judgment that the other one did not.
ASKED_BEFORE = (
    f"EXISTS (SELECT 1 FROM {QUESTION} q "
    "JOIN annotation_judgment asked ON asked.id = q.first_id "
    "JOIN annotation_judgment shown ON shown.id = NEW.first_id "
    "WHERE q.pair_id = NEW.pair_id AND asked.round = shown.round "
    "AND NOT EXISTS (SELECT 1 FROM adjudication_referral r WHERE r.pair_id = q.pair_id "
    "AND r.recipient = 'judges' AND r.first_id >= q.first_id))"
)
# On a scale of two grades, to be asked would tell each judge the grade of the other.
TWO_GRADES = (
    "(SELECT c.highest_grade FROM annotation_pair p JOIN corpus_query q ON q.id = p.query_id "
    "JOIN accounts_collection c ON c.id = q.collection_id WHERE p.id = NEW.pair_id) < 2"
)
JUDGED_BY_ASKER = (
    "EXISTS (SELECT 1 FROM annotation_slot s LEFT JOIN annotation_judgment j ON j.slot_id = s.id "
    "WHERE s.pair_id = NEW.pair_id AND NEW.asked_by_id IN (s.annotator_id, j.annotator_id))"
)
WAITS = (
    "EXISTS (SELECT 1 FROM annotation_judgment one, annotation_judgment two "
    "WHERE one.id = NEW.first_id AND two.id = NEW.second_id "
    f"AND {waits_for_a_judge('NEW.pair_id')})"
)


def case_of(pair: str, case: str) -> str:
    """SQL for a row with the query and the difference of the pair, if it is such a case."""
    return (
        f"(SELECT p.query_id, (SELECT {DIFFERENCE} {case.format(row='p')}) AS difference "
        f"FROM annotation_pair p WHERE p.id = {pair}) found WHERE found.difference IS NOT NULL"
    )


def count_due(pair: str, case: str) -> str:
    return f"{COUNT_DUE}found.query_id, found.difference, 1 FROM {case_of(pair, case)} {ONE_MORE}"


QUESTIONS = [
    reject("question_on_an_undecided_case", table=QUESTION, event="INSERT", when=NO_CASE),
    reject("question_once", table=QUESTION, event="INSERT", when=ASKED_BEFORE),
    reject("question_with_three_grades", table=QUESTION, event="INSERT", when=TWO_GRADES),
    reject("question_not_by_a_judge", table=QUESTION, event="INSERT", when=JUDGED_BY_ASKER),
    reject("decision_after_the_answers", table=DECISION, event="INSERT", when=WAITS),
]
QUESTION_COUNTS = [
    # A report on agreement has the judgments before and after the questions.
    keep(
        "count_2_question_asked",
        table=QUESTION,
        event="INSERT",
        statements=[
            "UPDATE annotation_paircount SET revision = revision + 1 "
            f"WHERE query_id = {QUERY_OF.format(row='NEW')}"
        ],
    ),
    keep(
        "count_4_question_asked",
        table=QUESTION,
        event="INSERT",
        statements=[
            f"{UNCOUNT_DUE}{QUERY_OF.format(row='NEW')} AND difference = "
            f"(SELECT found.difference FROM {case_of('NEW.pair_id', UNDECIDED_PAIR)})"
        ],
    ),
    keep(
        "count_4_question_taken_back",
        table=QUESTION,
        event="UPDATE",
        columns="taken_back_at",
        when="OLD.taken_back_at IS NULL AND NEW.taken_back_at IS NOT NULL",
        statements=[count_due("NEW.pair_id", UNDECIDED_PAIR)],
    ),
    # The other judge may have answered before.
    keep(
        "count_4_question_kept",
        table=KEPT_ANSWER,
        event="INSERT",
        statements=[
            count_due(
                f"(SELECT q.pair_id FROM {QUESTION} q WHERE q.id = NEW.question_id)", DUE_PAIR
            )
        ],
    ),
]
