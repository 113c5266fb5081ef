from __future__ import annotations

import pytest
from django.utils import timezone

from annotation import openings
from pooling.models import Candidate, Contribution, Pool, PoolSet
from tests import builders
from tests.release.helpers import pair_of


@pytest.fixture(autouse=True)
def _storage(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "files"


@pytest.fixture
def judged(collection, papers, people):
    """Two queries of one paper, each in a fold, and a topic.

    Of d00_method: d01 agreed on 2, d02 decided as 3, d03 set aside, d04 a case, d05 has one judgment.
    """
    collection.licence = "CC-BY-4.0"
    collection.save()
    run = builders.run(collection, "bm25", {})
    method, background = (builders.query(collection, papers[0], facet) for facet in ("method", "background"))
    topic = builders.topic(collection, "7", "Harbour dues", description="What do ships pay?", narrative="Fees.")
    for fold, query in ((1, method), (2, background)):
        query.fold = fold
        query.save()
    for query, documents in ((method, papers[1:6]), (background, papers[1:3]), (topic, papers[10:12])):
        pool = Pool.objects.create(pool_set=PoolSet.objects.create(collection=collection, plan={}), query=query)
        for position, document in enumerate(documents, 1):
            drawn = position > 1
            candidate = Candidate.objects.create(
                pool=pool, document=document, position=position, source="bm25" if drawn else "cited"
            )
            Contribution.objects.create(candidate=candidate, run=run, rank=position, score=0.1 * position, drawn=drawn)
        PoolSet.objects.filter(pk=pool.pool_set_id).update(frozen_at=timezone.now())
        couple = (people.ann, people.bob)
        openings.open_queries(collection=collection, queries=[query], couples={query.pk: couple}, by=None)
    builders.judge_all(background, {"d01": (0, 0), "d02": (1, 1)})
    builders.judge_all(topic, {"d10": (3, 3), "d11": (0, 1)})
    for docno, grades in {"d01": (2, 2), "d02": (0, 3), "d03": (None, 1), "d04": (1, 2), "d05": (1,)}.items():
        pair = pair_of(method, docno)
        for judge, grade in zip((people.ann, people.bob), grades, strict=False):
            builders.judge(pair, judge, grade)
    builders.decide(pair_of(method, "d02"), people.ada, 3)
    builders.decide(pair_of(method, "d03"), people.ada, None, note="Wrong text.")
    builders.decide(pair_of(topic, "d11"), people.ada, 1)
    return collection
