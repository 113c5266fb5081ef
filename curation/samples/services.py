"""Draw samples of the corpus, and delete those that are not screened yet."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import IntegrityError, transaction
from django.db.models import BooleanField, ExpressionWrapper, Max, Min, Q

from accounts.locking import lock_collection
from accounts.models import Collection, User
from curation.models import Sample, SampledPaper
from curation.samples.exclusions import docnos_of_samples
from curation.samples.paper_types import create_default_types
from curation.samples.report import SampleCounts
from curation.samples.strata import (
    FIELD,
    MOST_PAPERS,
    PERIOD,
    STRATA,
    TYPE,
    Period,
    SampledDocument,
    SampleError,
    Stratification,
    StratifiedDraw,
    cut_evenly,
    parse_periods,
    parse_years,
    stratum_of,
)
from curation.screening.results import types_of_screened
from jobs.context import JobContext

CHUNK = 2_000
LONGEST_NAME = 60


@dataclass(frozen=True)
class SamplePlan:
    """The plan of a sample. Texts are as a person writes them.

    `by` are some of STRATA. `periods` is a number, or periods such as "1995-1999,2000-2004";
    `years` limits the documents, and a number of periods divides these years (default: the years of
    the corpus). `fields` are the requested ones (default: all). The seed defaults to the
    collection's. Papers of the samples `without` are left out.
    """

    by: tuple[str, ...]
    per_stratum: int
    periods: str = ""
    years: str = ""
    fields: tuple[str, ...] = ()
    seed: str = ""
    without: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> SamplePlan:
        """The plan of a job's parameters, whose lists are tuples here."""
        lists = {name: tuple(values[name]) for name in ("by", "fields", "without")}
        return cls(**{**values, **lists})

    @property
    def values(self) -> Mapping[str, object]:
        """The values as JSON keeps them, so that those of two jobs can be compared."""
        values = asdict(self)
        return values | {name: list(values[name]) for name in ("by", "fields", "without")}


@dataclass(frozen=True)
class Exclusions:
    """The docnos of a list, and the name of its file."""

    docnos: frozenset[str] = frozenset()
    name: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 of the sorted docnos, each with a line end."""
        lines = "".join(f"{docno}\n" for docno in sorted(self.docnos))
        return hashlib.sha256(lines.encode()).hexdigest()


class DrawnSample(NamedTuple):
    """A sample before it is saved. `unknown` docnos of the list are not in the corpus."""

    draw: StratifiedDraw
    documents: int
    unknown: int
    exclusions: Exclusions
    plan: SamplePlan

    @property
    def counts(self) -> SampleCounts:
        """The counts as they are stored with the sample."""
        return {
            "documents": self.documents,
            "left_out": dict(sorted(self.draw.left_out.items())),
            "exclusions": {
                "file": self.exclusions.name,
                "docnos": len(self.exclusions.docnos),
                "unknown": self.unknown,
                "sha256": self.exclusions.digest if self.exclusions.docnos else "",
                "samples": list(self.plan.without),
            },
            "years": self.plan.years,
            "strata": [
                {
                    "stratum": stratum_of(self.plan.by, count.values),
                    "documents": count.documents,
                    "excluded": count.excluded,
                    "sampled": count.sampled,
                }
                for count in self.draw.counts()
            ],
        }


def survey_strata(
    *,
    collection: Collection,
    plan: SamplePlan,
    work: JobContext,
    exclusions: Exclusions = Exclusions(),
) -> DrawnSample:
    """Read the corpus once, and draw a sample in memory without saving it.

    Raises:
        SampleError: the plan is invalid, or it needs types and no paper was screened.
    """
    stratification = stratification_of(collection, plan)
    types = _types(collection) if TYPE in plan.by else {}
    draw = StratifiedDraw(stratification, plan.per_stratum, plan.seed or collection.seed)
    removed = exclusions.docnos | docnos_of_samples(collection, plan.without)
    total = collection.documents.count()
    known = 0
    for number, (pk, document) in enumerate(_documents(collection), start=1):
        is_excluded = document.docno in removed
        known += document.docno in exclusions.docnos
        draw.add(document._replace(paper_type=types.get(pk)), is_excluded=is_excluded)
        if number % CHUNK == 0:
            work.progress(number, total, "Reading documents")
    return DrawnSample(draw, total, len(exclusions.docnos) - known, exclusions, plan)


def _documents(collection: Collection) -> Iterator[tuple[int, SampledDocument]]:
    """All documents in the order of their rows, with their ids. The sample has its own order."""
    is_empty = ExpressionWrapper(Q(sentences=[]), output_field=BooleanField())
    rows = collection.documents.order_by("pk").annotate(is_empty=is_empty)
    columns = rows.values_list("pk", "docno", "is_empty", "year", "fields")
    for pk, docno, without_text, year, fields in columns.iterator(chunk_size=CHUNK):
        yield pk, SampledDocument(docno, not without_text, year, fields)


def _types(collection: Collection) -> dict[int, str]:
    """The type of every screened document by its id; "" for an excluded type."""
    types = types_of_screened(collection)
    if not types:
        raise SampleError(
            "No paper has a type yet, because types come from screening. Draw and screen a sample "
            "without the stratum “type” first."
        )
    return {pk: "" if kind.is_excluded else kind.name for pk, kind in types.items()}


def stratification_of(collection: Collection, plan: SamplePlan) -> Stratification:
    """The plan's strata of the collection's documents. Raises SampleError for an invalid plan."""
    if unknown := [name for name in plan.by if name not in STRATA]:
        raise SampleError(f'Unknown stratum "{unknown[0]}". Use {", ".join(STRATA)}.')
    if len(set(plan.by)) < len(plan.by):
        raise SampleError("A stratum is there twice. Write each once.")
    if not 1 <= plan.per_stratum <= MOST_PAPERS:
        raise SampleError(
            f"The papers of each stratum must be 1 to {MOST_PAPERS:,}, got {plan.per_stratum:,}."
        )
    if plan.periods and PERIOD not in plan.by:
        raise SampleError("Periods were given, but “period” is not one of the strata. Add it.")
    if plan.fields and FIELD not in plan.by:
        raise SampleError("Fields were given, but “field” is not one of the strata. Add it.")
    years = parse_years(plan.years) if plan.years else None
    return Stratification(
        by=plan.by,
        periods=_periods(collection, plan, years) if PERIOD in plan.by else (),
        years=years,
        fields=plan.fields,
        types=_included_types(collection) if TYPE in plan.by else (),
    )


def _periods(collection: Collection, plan: SamplePlan, years: Period | None) -> tuple[Period, ...]:
    if not plan.periods:
        raise SampleError(
            "The periods are missing. Write their number, such as 5, or years, such as "
            "1995-1999,2000-2004."
        )
    periods = parse_periods(plan.periods)
    if isinstance(periods, int):
        return cut_evenly(years or _years_of_corpus(collection), periods)
    if years and (periods[0].first < years.first or periods[-1].last > years.last):
        raise SampleError(f"A period is outside of the years {years}. Leave out the years.")
    return periods


def _years_of_corpus(collection: Collection) -> Period:
    years = collection.documents.aggregate(first=Min("year"), last=Max("year"))
    if years["first"] is None:
        raise SampleError(
            "No document has a year, so there are no periods. Import years, or leave out the "
            "stratum “period”."
        )
    return Period(**years)


def _included_types(collection: Collection) -> tuple[str, ...]:
    names = collection.paper_types.filter(is_excluded=False).values_list("name", flat=True)
    return tuple(names)


def draw_sample(
    *,
    collection: Collection,
    name: str,
    plan: SamplePlan,
    work: JobContext,
    exclusions: Exclusions = Exclusions(),
    created_by: User | None = None,
) -> Sample:
    """Draw a sample and save it with its papers in the order of screening: all of it, or nothing.

    The documents are read without a lock. If they changed meanwhile, nothing is saved.

    Raises:
        SampleError: the plan or the name is invalid, a sample has the name, a stratum has no
            document, or documents changed meanwhile.
    """
    check_name(collection, name)
    collection.refresh_from_db(fields=["corpus_version"])
    drawn = survey_strata(collection=collection, plan=plan, work=work, exclusions=exclusions)
    drawn.draw.check()
    try:
        with work.fenced():
            locked_collection = lock_collection(collection)
            if locked_collection.corpus_version != collection.corpus_version:
                raise SampleError(
                    "Documents changed while the sample was drawn, so nothing was saved. Draw it "
                    "again."
                )
            create_default_types(collection)
            sample = _save(collection, name, drawn, created_by)
            work.complete({"sample": name, "papers": sample.papers.count()})
    except IntegrityError as error:
        if collection.samples.filter(name=name).exists():
            raise _name_taken(name) from error
        raise
    return sample


def _save(collection: Collection, name: str, drawn: DrawnSample, created_by: User | None) -> Sample:
    plan = drawn.plan
    sample = Sample.objects.create(
        collection=collection,
        name=name,
        strata=list(plan.by),
        periods=[list(period) for period in drawn.draw.stratification.periods],
        per_stratum=plan.per_stratum,
        seed=drawn.draw.seed,
        counts=drawn.counts,
        created_by=created_by,
    )
    papers = list(enumerate(drawn.draw.papers(), start=1))
    docnos = [docno for _, (docno, _) in papers]
    ids: dict[str, int] = {}
    for start in range(0, len(docnos), CHUNK):
        some = collection.documents.filter(docno__in=docnos[start : start + CHUNK])
        ids |= dict(some.order_by().values_list("docno", "pk"))
    SampledPaper.objects.bulk_create(
        (
            SampledPaper(
                sample=sample,
                document_id=ids[docno],
                stratum=stratum_of(plan.by, values),
                position=position,
            )
            for position, (docno, values) in papers
        ),
        batch_size=CHUNK,
    )
    return sample


def check_name(collection: Collection, name: str) -> None:
    """Raise SampleError if a new sample cannot have this name."""
    try:
        validate_slug(name)
    except ValidationError as error:
        raise SampleError(
            f'Invalid name "{name}". Use letters, digits, hyphens and underscores.'
        ) from error
    if len(name) > LONGEST_NAME:
        raise SampleError(f"The name has {len(name)} characters. Use at most {LONGEST_NAME}.")
    if collection.samples.filter(name=name).exists():
        raise _name_taken(name)


def _name_taken(name: str) -> SampleError:
    return SampleError(f"There is a sample {name!r} already. Choose another name.")


def free_name(collection: Collection) -> str:
    """A name for the next sample: "sample-1", "sample-2" and so on."""
    names = set(collection.samples.values_list("name", flat=True))
    return next(name for number in count(1) if (name := f"sample-{number}") not in names)


def delete_sample(*, sample: Sample) -> None:
    """Delete a sample that has no screening.

    Raises:
        SampleError: a paper of the sample was screened.
    """
    with transaction.atomic():
        lock_collection(sample.collection)
        if sample.papers.filter(screenings__isnull=False).exists():
            raise SampleError(
                f"{sample.name} has screenings, so it cannot be deleted. Nothing was changed."
            )
        sample.delete()
