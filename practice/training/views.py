"""The pages about training: the trainee's own, and the admin's sets with their results."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of, roles_in, row_or_404
from accounts.actions.services import record_people_read
from accounts.models import JUDGES, Collection, Role
from annotation.qualifications.standing import unqualified_annotators
from annotation.services import JudgingError
from practice.models import PracticeKind, PracticeSet
from practice.services import CannotPractise, close_set
from practice.training.forms import GoldFileForm, LabelsForm, add_refusal
from practice.training.gold import make_from_file, make_from_labels
from practice.training.results import (
    UNDEFINED,
    in_progress,
    missed_pairs,
    own_matrix,
    own_result,
    own_training,
    results_of,
    set_rows,
    trained_pairs,
    trainees_matrix,
    waiting_people,
)
from practice.training.services import start_training
from practice.training.tables import TRAINING_PAIRS, TRAINING_RESULTS
from web.languages.choice import in_english
from web.tables.cells import SHORT_PAGE_ROWS, numbered_page
from web.tables.columns import csv_file, wants_csv


@never_cache
@in_collection(Role.ADMIN, *JUDGES)
@require_safe
def training(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    """The admin's sets; the own training of a person who judges."""
    if Role.ADMIN in roles_in(collection, person_of(request)):
        if wants_csv(request):
            record_people_read(collection=collection, page="training")
            columns = TRAINING_RESULTS.shown(request)
            return csv_file(f"{collection.slug}-training", columns, results_of(collection))
        with in_english(request):
            return _sets_page(request, collection)
    context = {
        "training": own_training(collection, person_of(request)),
        "undefined": UNDEFINED,
    }
    return render(request, "practice/training.html", context)


@in_collection(*JUDGES)
@require_POST
def start(request: HttpRequest, collection: Collection) -> HttpResponse:
    try:
        practice_set = start_training(collection=collection, person=person_of(request))
    except JudgingError as error:
        messages.error(request, str(error))
        return redirect("training", collection.slug)
    return redirect("practice", collection.slug, practice_set.name)


@never_cache
@in_collection(*JUDGES)
@require_safe
def result(request: HttpRequest, collection: Collection, practice_set: str) -> HttpResponse:
    """The person's result, with the gold of each pair. It does not exist before the end."""
    person = person_of(request)
    found = row_or_404(
        own_result(collection, person, practice_set), f"no result of {practice_set} yet"
    )
    pairs = trained_pairs(found)
    context = {
        "result": found,
        "practice_set": found.member.practice_set,
        "undefined": UNDEFINED.get(found.undefined, found.undefined),
        "matrix": own_matrix(found.member.practice_set, pairs),
        "missed": sum(pair.difference > 0 for pair in pairs),
        "page": numbered_page(pairs, request, size=SHORT_PAGE_ROWS, anchor="#pairs"),
        "training": own_training(collection, person),
    }
    return render(request, "practice/training_result.html", context)


# Admins


def _sets_page(
    request: HttpRequest,
    collection: Collection,
    *,
    labels_form: LabelsForm | None = None,
    file_form: GoldFileForm | None = None,
) -> HttpResponse:
    sets = collection.practice_sets.filter(kind=PracticeKind.TRAINING).order_by("-number")
    page = numbered_page(sets, request, size=SHORT_PAGE_ROWS)
    waiting = numbered_page(
        unqualified_annotators(collection),
        request,
        name="waiting",
        anchor="#waiting",
        size=SHORT_PAGE_ROWS,
    )
    context = {
        "page": page,
        "sets": set_rows(collection, page.rows),
        "waiting": waiting,
        "people": waiting_people(collection, waiting.rows),
        "labels_form": labels_form or LabelsForm(),
        "file_form": file_form or GoldFileForm(),
    }
    status = 422 if labels_form or file_form else 200
    return render(request, "practice/training_sets.html", context, status=status)


@in_collection(Role.ADMIN)
@require_POST
def make_set(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Make a set from final labels."""
    form = LabelsForm(request.POST)
    if form.is_valid():
        try:
            practice_set = make_from_labels(
                collection=collection, created_by=person_of(request), **form.cleaned_data
            )
        except CannotPractise as error:
            add_refusal(form, error)
        else:
            return _made(request, collection, practice_set)
    return _sets_page(request, collection, labels_form=form)


@in_collection(Role.ADMIN)
@require_POST
def import_set(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Make a set from a file."""
    form = GoldFileForm(request.POST, request.FILES)
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            practice_set = make_from_file(
                collection=collection,
                content=file.read(),
                name=file.name,
                created_by=person_of(request),
            )
        except CannotPractise as error:
            add_refusal(form, error)
        else:
            return _made(request, collection, practice_set)
    return _sets_page(request, collection, file_form=form)


def _made(request: HttpRequest, collection: Collection, practice_set: PracticeSet) -> HttpResponse:
    number = practice_set.pairs.count()
    messages.success(request, f"{practice_set.title} is ready, with {number} pairs.")
    return redirect("training-set", collection.slug, practice_set.name)


@in_collection(Role.ADMIN)
@require_safe
def training_set(
    request: HttpRequest, collection: Collection, practice_set: str
) -> HttpResponseBase:
    """The results of a set by person, and the pairs that most people missed."""
    found = _set_or_404(collection, practice_set)
    record_people_read(collection=collection, page="training")
    pairs = missed_pairs(found)
    if wants_csv(request):
        return csv_file(f"{collection.slug}-{found.name}", TRAINING_PAIRS.shown(request), pairs)
    results = results_of(collection).filter(member__practice_set=found)
    (row,) = set_rows(collection, [found])
    context = {
        "practice_set": found,
        "row": row,
        "results": numbered_page(
            results, request, name="results", anchor="#results", size=SHORT_PAGE_ROWS
        ),
        "in_progress": in_progress(found),
        "page": numbered_page(pairs, request, anchor="#pairs", size=SHORT_PAGE_ROWS),
        "doubtful": sum(pair.is_doubtful for pair in pairs),
        "matrix": trainees_matrix(found, pairs) if row.finished else None,
    }
    return render(request, "practice/training_set.html", context)


@in_collection(Role.ADMIN)
@require_POST
def close(request: HttpRequest, collection: Collection, practice_set: str) -> HttpResponse:
    """Stop offering the set."""
    found = _set_or_404(collection, practice_set)
    close_set(practice_set=found)
    messages.success(request, f"{found.title} is closed. It is not offered any more.")
    return redirect("training-set", collection.slug, found.name)


def _set_or_404(collection: Collection, name: str) -> PracticeSet:
    sets = collection.practice_sets.filter(kind=PracticeKind.TRAINING).named(name)
    return row_or_404(sets.first(), f"no training set {name} here")
