"""Candidates whose text is in their pool more than once."""

from __future__ import annotations

from collections import Counter

from django.db.models import Count, Exists, OuterRef

from accounts.models import Collection
from annotation.models import Opening
from pooling.models import Candidate


def duplicate_candidates(collection: Collection) -> tuple[tuple[str, str], ...]:
    """(query paper, docno) of the candidates to judge, in pools with an opened query."""
    opened = Opening.objects.filter(query__query_paper=OuterRef("pool__query_paper"))
    texts = collection.documents.order_by().values("digest").annotate(number=Count("pk"))
    candidates = Candidate.objects.to_judge().filter(
        Exists(opened),
        pool__query_paper__collection=collection,
        document__digest__in=texts.filter(number__gt=1).values("digest"),
    )
    rows = list(
        candidates.order_by().values_list(
            "pool__query_paper__name", "document__docno", "document__digest"
        )
    )
    number = Counter((paper, digest) for paper, _, digest in rows)
    return tuple(
        sorted((paper, docno) for paper, docno, digest in rows if number[paper, digest] > 1)
    )
