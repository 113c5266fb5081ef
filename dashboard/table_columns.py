"""The columns that a person sees of each table."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from agreement.tables import BY_QUERY
from curation.labels.document_table import DOCUMENTS
from curation.samples.table import PAPERS
from dashboard.board.query_table import QUERIES
from dashboard.board.table import ANNOTATORS, BOARD, CLOSED_QUERIES
from dashboard.document_page.appearances import APPEARANCES
from dashboard.people.table import PEOPLE, PERSON_QUERIES
from dashboard.query_page.candidates import CANDIDATES
from jobs.tables import JOBS
from pooling.tables import POOLS
from practice.training.tables import TRAINING_PAIRS, TRAINING_RESULTS
from retrieval.run_table import RUNS
from web.tables.columns import Table

ALL_TABLES: tuple[Table[Any], ...] = (
    *(DOCUMENTS, QUERIES, RUNS, POOLS, CANDIDATES, APPEARANCES),
    *(BOARD, CLOSED_QUERIES, ANNOTATORS, PEOPLE, PERSON_QUERIES, BY_QUERY, JOBS),
    *(PAPERS, TRAINING_RESULTS, TRAINING_PAIRS),
)
TABLES = {table.name: table for table in ALL_TABLES}


@require_POST
def choose_columns(request: HttpRequest, table: str) -> HttpResponse:
    """Store the choice in the session, and go back to the page that it was made on."""
    chosen_table = TABLES.get(table)
    if chosen_table is None:
        raise Http404(f"no table {table!r}")
    chosen_table.choose(request, request.POST.getlist("column"))
    page = request.POST.get("next", "")
    # An address of another site would make this a link to anywhere.
    return redirect(page if url_has_allowed_host_and_scheme(page, allowed_hosts=None) else "home")
