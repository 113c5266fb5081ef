"""Rules about questions to the judges of a pair and their answers, and SQL for rooms above."""

from __future__ import annotations

from accounts.rules import kept_rows, not_being_deleted
from annotation.rules.judgments import COLLECTION_OF_PAIR
from database.triggers import reject

QUESTION, KEPT_ANSWER = "annotation_pairquestion", "annotation_keptanswer"
NOT_KEPT = (
    "NOT EXISTS (SELECT 1 FROM annotation_keptanswer k "
    "WHERE k.question_id = {question}.id AND k.judgment_id = {judgment})"
)


def waits_for_a_judge(pair: str) -> str:
    """SQL that is true if a question on the pair is open while it shows the judgments `one`, `two`.

    A judge has answered with another judgment, or by keeping the one that the question is about.
    So it is a matter of rows alone, and the order of triggers does not count.
    """
    unanswered = " OR ".join(
        f"q.{side}_id IN (one.id, two.id) "
        f"AND {NOT_KEPT.format(question='q', judgment=f'q.{side}_id')}"
        for side in ("first", "second")
    )
    return (
        f"EXISTS (SELECT 1 FROM {QUESTION} q "
        f"WHERE q.pair_id = {pair} AND q.taken_back_at IS NULL AND ({unanswered}))"
    )


ANSWERED = (
    "NOT EXISTS (SELECT 1 FROM annotation_slot s WHERE s.pair_id = NEW.pair_id "
    "AND s.judgment_id IN (NEW.first_id, NEW.second_id) "
    f"AND {NOT_KEPT.format(question='NEW', judgment='s.judgment_id')})"
)
NOT_ASKED = (
    f"NOT EXISTS (SELECT 1 FROM {QUESTION} q JOIN annotation_slot s ON s.pair_id = q.pair_id "
    "AND s.judgment_id = NEW.judgment_id WHERE q.id = NEW.question_id "
    "AND q.taken_back_at IS NULL AND NEW.judgment_id IN (q.first_id, q.second_id))"
)
COLLECTION_OF_ANSWER = (
    f"(SELECT c.collection_id FROM {QUESTION} q JOIN annotation_pair p ON p.id = q.pair_id "
    "JOIN corpus_query c ON c.id = p.query_id WHERE q.id = OLD.question_id)"
)
QUESTIONS = [
    reject(
        "question_keeps_its_words",
        table=QUESTION,
        event="UPDATE",
        columns=(
            "pair_id, first_id, second_id, wording, query_sentences, candidate_sentences, "
            "asked_by_id, asked_at"
        ),
    ),
    reject(
        "question_taken_back_once",
        table=QUESTION,
        event="UPDATE",
        columns="taken_back_at",
        when=f"OLD.taken_back_at IS NOT NULL OR {ANSWERED}",
    ),
    reject(
        "question_never_deleted",
        table=QUESTION,
        event="DELETE",
        when=not_being_deleted(COLLECTION_OF_PAIR.format(row="OLD")),
    ),
    *kept_rows("kept_answer", table=KEPT_ANSWER, collection=COLLECTION_OF_ANSWER),
    reject("kept_answer_of_an_open_question", table=KEPT_ANSWER, event="INSERT", when=NOT_ASKED),
]
