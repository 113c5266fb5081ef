"""Full texts and full-text studies for tests."""

from __future__ import annotations

import uuid

from accounts.models import Collection, User
from annotation.models import Opening, Reason
from annotation.services import Answer
from corpus.formats.full_texts import FullTextSection, full_text_digest, section_rows
from corpus.models import Document, FullText
from studies.models import Study, StudyRating
from studies.reading import presentations_of
from studies.services import create_study, submit_rating
from tests.support.factories import an_open_query
from tests.support.sittings import judge_both


def attach_full_texts(*documents: Document) -> None:
    for document in documents:
        sections = (
            FullTextSection("Abstract", (document.abstract,)),
            FullTextSection("1 Introduction", (f"Whole text of {document.docno}.",)),
        )
        FullText.objects.create(
            document=document,
            sections=section_rows(sections),
            digest=full_text_digest(sections, ""),
        )


def a_labelled_query(collection: Collection, *grades: int, facet: str = "method") -> Opening:
    """A query with a pair of each final label. All its documents have full texts."""
    opening = an_open_query(collection, len(grades), facet)
    judge_both(opening, *((grade, grade) for grade in grades))
    paper = opening.query.query_paper
    attach_full_texts(
        paper.document, *(candidate.document for candidate in paper.pool.candidates.all())
    )
    return opening


def a_study(collection: Collection, **changes) -> Study:
    """A study of all labelled pairs of one query, for ann1."""
    rater = User.objects.get(username="ann1")
    arguments = {"name": "texts", "rater": rater, "queries": 1, "per_query": 3}
    return create_study(collection=collection, **arguments | changes)


def rate(study: Study, position: int, grade: int | None = None, **changes) -> StudyRating:
    """None is a pair that cannot be judged."""
    study_pair = study.pairs.get(position=position)
    ((_, presentation),) = presentations_of([study_pair.pair_id])
    last = study_pair.ratings.last()
    return submit_rating(
        **{
            "study_pair_id": study_pair.pk,
            "rater": study.rater,
            "answer": Answer(grade=grade, reason="" if grade is not None else Reason.GARBLED),
            "presentation_digest": presentation.digest,
            "key": uuid.uuid4(),
            "supersedes": last.key if last else None,
            "seconds": 120.0,
        }
        | changes
    )
