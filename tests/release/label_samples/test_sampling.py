"""A sample is judged in a collection of its own, whose pools hold exactly the drawn pairs."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace

import pytest
from django.utils import timezone

from accounts.models import Collection
from adjudication.services import Ruling
from annotation.models import Guideline
from bundle.label_errors.layout import ABOUT, pairs_file, rates_file
from bundle.label_errors.rates import FALSE_POSITIVE, OVERALL
from bundle.label_errors.records import CHANGED, UNJUDGED
from bundle.options import LabelSource, ReleaseOptions
from bundle.verification.service import verify
from corpus.services import CorpusError
from jobs.context import DirectRun
from pooling.models import Candidate, Contribution
from release.files import path_of
from release.importing.collection_rows import delete_last_rows, delete_rows
from release.importing.service import import_release
from release.label_samples.choice import LabelSampleError
from release.label_samples.models import LabelSample
from release.label_samples.reading import label_report, sample_lines
from release.label_samples.services import sample_labels
from release.services import publish_release
from release.snapshot import take_snapshot
from tests.support.label_samples import a_sampled_collection, cited_is_half_right, judged
from tests.support.release_scenes import decide_pair
from tests.support.releases import EVERY_EXCEPTION
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

CITATIONS = ReleaseOptions(labels=LabelSource.CITATIONS)


@once_a_file
def sample():
    return a_sampled_collection()


@once_a_file
def judged_sample():
    return judged(a_sampled_collection(slug="judged"), cited_is_half_right)


def test_its_pools_hold_exactly_the_drawn_pairs_and_tell_nothing_of_the_labels(sample):
    made, origin = sample.collection, sample.origin
    drawn = {
        (row.query.query_paper_id, row.candidate_id)
        for stratum in sample.strata.all()
        for row in stratum.sampled_labels.select_related("query")
    }
    candidates = Candidate.objects.filter(pool__query_paper__collection=made)

    assert len(drawn) == 30 == sum(sample.strata.values_list("sampled", flat=True))
    assert sum(sample.strata.values_list("population", flat=True)) == 42
    assert {*candidates.values_list("pool__query_paper", "pk")} == drawn
    assert not candidates.filter(pool__frozen_at=None).exists()
    assert {*Contribution.objects.filter(candidate__in=candidates).values_list("source")} == {
        ("sample",)
    }
    assert not made.documents.exclude(references=[]).exists()
    assert all(
        [*pool.candidates.order_by("position").values_list("document__docno", flat=True)]
        == sorted(pool.candidates.values_list("document__docno", flat=True))
        for paper in made.query_papers.all()
        for pool in [paper.pool]
    )
    assert [facet.key for facet in made.facets.all()] == ["method"]
    assert [*made.queries.values_list("name", flat=True)] == [
        *origin.queries.values_list("name", flat=True)
    ]
    texts = {document.docno: document.digest for document in made.documents.all()}
    assert texts.items() <= {row.docno: row.digest for row in origin.documents.all()}.items()
    assert {*Guideline.objects.filter(facet__collection=made).values_list("instructions")} <= {
        *Guideline.objects.filter(facet__collection=origin).values_list("instructions")
    }


def test_strata_are_the_fields_and_the_types_of_the_mdcr_file(sample):
    strata = {
        (stratum.field, stratum.type, stratum.label): stratum.population
        for stratum in sample.strata.all()
    }

    assert strata["Biology", "true", 1] == 2
    assert strata["Physics", "true", 1] == 4
    assert {type_ for _, type_, label in strata if not label} == {
        *("bm25", "scincl", "specter", "graph", "most_cited", "random")
    }


def test_what_cannot_be_drawn_is_refused_and_leaves_nothing(sample):
    origin = sample.origin
    for error, reason, options in (
        (LabelSampleError, "Choose the facet", {"facet": ""}),
        (LabelSampleError, "exists already", {"slug": "small-sample"}),
        (LabelSampleError, "14 strata", {"pairs": 13}),
        (LabelSampleError, "No candidate has a citation label", {"facet": "result"}),
        (LabelSampleError, "at most 20,000", {"pairs": 20_001}),
        (CorpusError, "short name", {"slug": "No Slug"}),
    ):
        with pytest.raises(error, match=reason):
            sample_labels(
                **{"collection": origin, "slug": "more", "pairs": 30, "facet": "method"} | options
            )
    assert not Collection.objects.filter(slug="more").exists()


def test_the_report_waits_until_every_pair_is_settled(sample):
    two_differ = {}

    def grades(query: str, docno: str) -> tuple[int | None, int | None]:
        if len(two_differ) < 2:
            two_differ[query, docno] = (1, 2)
        return two_differ.get((query, docno), (2, 2))

    judged(sample, grades)
    (line,) = sample_lines(sample.origin)
    assert (line.pairs, line.settled, line.complete) == (30, 28, False)
    assert not label_report(sample).complete
    left_out = take_snapshot(sample.origin, CITATIONS).label_samples.left_out
    assert left_out == {"small-sample": UNJUDGED}

    first, second = two_differ
    decide_pair(sample.collection, *first, Ruling(grade=2))
    decide_pair(sample.collection, *second, Ruling(reason="garbled"))
    report = label_report(sample)
    (line,) = sample_lines(sample.origin)

    assert line.complete
    assert report.complete
    assert {pair[:2]: (pair.grade, pair.judges) for pair in report.judged if pair.judges > 2} == {
        first: (2, 3),
        second: (None, 3),
    }
    assert report.released.without_grade == 1


def files_of(collection) -> dict[str, bytes]:
    with zipfile.ZipFile(path_of(collection.slug, "1.0")) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def outcome_of(path):
    return next(each for each in verify(path) if each.name == "label_errors")


def test_a_release_of_the_citations_has_the_sample_and_its_rates(judged_sample, tmp_path):
    origin = judged_sample.origin
    publish_release(collection=origin, version="1.0", options=CITATIONS, accept=EVERY_EXCEPTION)
    files = files_of(origin)
    path = path_of(origin.slug, "1.0")

    assert [outcome for outcome in verify(path) if not outcome.ok] == []
    assert not outcome_of(path).skipped
    assert json.loads(files["manifest.json"])["label_samples"] == [
        {"name": "judged-sample", "facet": "method", "pairs": 30}
    ]
    assert b"## Errors of the labels" in files["README.md"]
    assert b"Errors of the labels" in files["datasheet.md"]
    # Documents with an odd number are not relevant: among d01, d02; d04, d05; d01, d06.
    false_positives = next(
        rate
        for rate in label_report(judged_sample).released.rates
        if (rate.scope, rate.measure) == (OVERALL, FALSE_POSITIVE)
    )
    assert (false_positives.population, false_positives.estimate) == (6, 0.5)

    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    for name, broken in (
        (pairs_file("judged-sample"), lambda text: text.replace(",2,1,2\r\n", ",1,0,2\r\n", 1)),
        (pairs_file("judged-sample"), lambda text: text.replace(",true,1,", ",true,0,", 1)),
        (pairs_file("judged-sample"), lambda text: "\n".join(text.splitlines()[:-1]) + "\n"),
        (rates_file("judged-sample"), lambda text: text.replace("0.5", "0.4", 1)),
        (ABOUT, lambda text: text.replace('"population": 2', '"population": 3', 1)),
        (ABOUT, lambda text: text.replace('"name": "judged-sample"', '"name": "other"')),
    ):
        kept = (tmp_path / name).read_bytes()
        text = broken(kept.decode())
        assert text != kept.decode(), name
        (tmp_path / name).write_bytes(text.encode())
        assert not outcome_of(tmp_path).ok, (name, text[:300])
        (tmp_path / name).write_bytes(kept)
    assert outcome_of(tmp_path).ok

    report = import_release(path=path, slug="imported")
    assert report.label_samples_left_out == 1


def test_a_sample_of_other_labels_is_left_out_with_the_reason(judged_sample):
    paper = judged_sample.origin.query_papers.get(name="q2").document
    drawn_by_a_model = set(
        Candidate.objects.filter(pool__query_paper__name="q2", contributions__drawn=True)
        .filter(pool__query_paper__collection=judged_sample.origin)
        .values_list("document__docno", flat=True)
    ) - set(paper.references)
    paper.references = [*paper.references, min(drawn_by_a_model)]
    paper.save(update_fields=["references"])

    released = take_snapshot(judged_sample.origin, CITATIONS).label_samples

    assert released.samples == ()
    assert released.left_out == {"judged-sample": CHANGED}
    assert not take_snapshot(
        judged_sample.origin, replace(CITATIONS, labels=LabelSource.JUDGED)
    ).label_samples.left_out


def deleted(collection: Collection) -> None:
    now = timezone.now()
    Collection.objects.filter(pk=collection.pk).update(
        archived_at=now, exported_at=now, deletion_began_at=now
    )
    delete_rows(collection, DirectRun())
    delete_last_rows(collection)


@pytest.mark.parametrize("name", ["origin", "collection"])
def test_either_collection_can_be_deleted(judged_sample, name):
    kept = {"origin": "judged-sample", "collection": "judged"}[name]
    deleted(getattr(judged_sample, name))

    assert [*Collection.objects.filter(slug__contains="judged").values_list("slug", flat=True)] == [
        kept
    ]
    rows = LabelSample.objects.filter(collection__slug="judged-sample")
    assert [*rows.values_list("origin", flat=True)] == ([None] if name == "origin" else [])
