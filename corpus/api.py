"""Documents and queries in the API, for admins only, because it shows authors, venue and year."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from accounts.models import OWNERS, Role
from corpus.documents.import_options import MAX_SKIPPED, DocumentImportOptions
from corpus.formats.sources import AUTO, FORMATS
from corpus.formats.tables import ColumnError, parse_columns
from corpus.forms import MOST_SEEDS
from corpus.models import Document, Query
from corpus.selection.expansion import DIRECTIONS, MOST_HOPS, OUT
from corpus.selection.filters import FILTERS, HIGHEST_MINIMUM, RecipeError
from corpus.selection.sub_corpus import LARGEST, MOST_PER_FIELD
from corpus.selection.written_recipes import written_recipe, written_selection
from corpus.services import create_query
from corpus.text.sentence_numbers import HIGHEST
from corpus.uploads import request_import, request_topics
from jobs.api import JobAnswer, accepted
from web.api.serializers import FormBody, RequestSerializer, files_field, found, words_field


class DocumentFields(serializers.Serializer[Document]):
    docno = serializers.CharField()
    title = serializers.CharField()
    year = serializers.IntegerField(allow_null=True)
    venue = serializers.CharField()


class DocumentAnswer(DocumentFields):
    sentences = serializers.ListField(child=serializers.CharField())
    labels = serializers.ListField(child=serializers.CharField())
    authors = serializers.ListField(child=serializers.CharField())
    references = serializers.ListField(child=serializers.CharField())
    fields_of_study = serializers.ListField(child=serializers.CharField(), source="fields")
    digest = serializers.CharField()


def prefix_field(help_text: str) -> serializers.RegexField:
    return serializers.RegexField(
        r"^\S*$", max_length=60, default="", allow_blank=True, help_text=help_text
    )


def dry_run_field() -> serializers.BooleanField:
    return serializers.BooleanField(
        default=False, help_text="Check only. The job’s result has the first rows."
    )


def least_field(help_text: str) -> serializers.IntegerField:
    return serializers.IntegerField(
        min_value=0, max_value=HIGHEST_MINIMUM, default=0, help_text=help_text
    )


class DocumentUpload(RequestSerializer):
    file = files_field("Plain or gzip. See docs/formats.md.")
    format = serializers.ChoiceField(choices=FORMATS, default=AUTO)
    columns = words_field(500, "Of TSV or CSV: `docno=id,text=3`.")
    prefix = prefix_field("Put before every docno.")
    filter = serializers.ChoiceField(choices=["", *FILTERS], default="")
    field = words_field(1_000, "Fields of study, separated by `;`. A document needs one of them.")
    years = words_field(20, "`1995-2019`, `1995-`, `-2019` or `2019`.")
    language = words_field(200, "Codes of languages, separated by `;`, such as `en`.")
    min_citations = least_field("Outgoing citations that a document needs.")
    min_characters = least_field("Characters that an abstract needs.")
    min_sentences = least_field("Sentences that an abstract needs.")
    has_text = serializers.BooleanField(default=False, help_text="Needs a title and an abstract.")
    has_full_text = serializers.BooleanField(default=False, help_text="Needs a full text.")
    seeds = words_field(MOST_SEEDS, "Docnos, one on each line. Keeps only documents near them.")
    hops = serializers.IntegerField(min_value=0, max_value=MOST_HOPS, default=1)
    direction = serializers.ChoiceField(choices=[*DIRECTIONS], default=OUT)
    sample_size = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST,
        allow_null=True,
        default=None,
        help_text="Documents of a sampled sub-corpus, such as 200000.",
    )
    sample_seed = words_field(60, "Default: `1`. Another seed draws another sample.")
    query_papers = words_field(MOST_SEEDS, "Docnos, one on each line. Or `queries_per_field`.")
    queries_per_field = serializers.IntegerField(
        min_value=0,
        max_value=MOST_PER_FIELD,
        default=0,
        help_text="Query papers to draw from each field.",
    )
    query_years = words_field(20, "Years of drawn query papers, such as `2019`.")
    query_fields = words_field(1_000, "Fields to draw from, separated by `;`. Default: every one.")
    query_seed = words_field(60, "Seed of drawn query papers. Default: `1`.")
    skip_bad = serializers.IntegerField(min_value=0, max_value=MAX_SKIPPED, default=0)
    dry_run = dry_run_field()


class TopicUpload(RequestSerializer):
    file = files_field("A topic file, plain or gzip. See docs/formats.md.")
    facet = words_field(30, "The facet of the topics. Needed if the collection has several.")
    topic_prefix = prefix_field("Put before every id.")
    dry_run = dry_run_field()


class QueryAnswer(serializers.Serializer[Query]):
    name = serializers.CharField()
    docno = serializers.CharField(source="query_paper.name")
    facet = serializers.CharField(
        source="facet.key", help_text="Empty in a collection without facets."
    )
    sentences = serializers.ListField(
        child=serializers.IntegerField(),
        source="sentence_numbers",
        allow_null=True,
        help_text="Numbers, from 1, of a query by sentences. Null for a whole facet.",
    )


class NewQuery(RequestSerializer):
    docno = serializers.CharField(max_length=200)
    facet = words_field(30, "The facet's key. Empty in a collection without facets.")
    sentences = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=HIGHEST),
        allow_null=True,
        default=None,
        help_text="Numbers, from 1, of sentences to use instead of the whole facet.",
    )
    name = words_field(
        20, "How the id of a query by sentences ends. Default: the next free number from 2."
    )


def _columns(text: str) -> str:
    try:
        parse_columns(text)
    except ColumnError as error:
        raise serializers.ValidationError({"columns": [str(error)]}) from error
    return text


class Documents(CollectionView):
    roles = OWNERS
    reading_roles = (Role.ADMIN,)  # it tells authors and venues
    parser_classes = [FormBody]

    @extend_schema(summary="Documents, by docno", responses=DocumentFields(many=True))
    def get(self, request: Request, slug: str) -> Response:
        deferred_fields = ("sentences", "labels", "authors", "references", "fields")
        rows = self.collection.documents.defer(*deferred_fields)
        return self.paged(rows, DocumentFields)

    @extend_schema(
        summary="Import files of documents",
        request={"multipart/form-data": DocumentUpload},
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        values = self.parsed(DocumentUpload)
        try:
            options = DocumentImportOptions(
                format_name=values["format"],
                columns=_columns(values["columns"]),
                prefix=values["prefix"],
                recipe=written_recipe(values),
                selection=written_selection(values),
                skip_bad=values["skip_bad"],
                dry_run=values["dry_run"],
            )
        except RecipeError as error:
            raise serializers.ValidationError({error.field: [str(error)]}) from error
        job = request_import(
            collection=self.collection,
            uploads=values["file"],
            requested_by=self.person,
            options=options,
        )
        return accepted(job)


class DocumentDetail(CollectionView):
    @extend_schema(summary="A document", responses=DocumentAnswer)
    def get(self, request: Request, slug: str, docno: str) -> Response:
        return Response(DocumentAnswer(found(self.collection.documents.all(), docno=docno)).data)


class QueryList(CollectionView):
    roles = OWNERS

    @extend_schema(summary="Queries, by name", responses=QueryAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        rows = self.collection.queries.select_related("facet", "query_paper")
        return self.paged(rows, QueryAnswer)

    @extend_schema(
        summary="Make a document a query",
        description="If the query exists already, it is returned.",
        request=NewQuery,
        responses={201: QueryAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        values = self.parsed(NewQuery)
        query = create_query(
            collection=self.collection,
            docno=values["docno"],
            facet_key=values["facet"],
            sentences=values["sentences"],
            name=values["name"],
        )
        return Response(QueryAnswer(query).data, status=201)


class Topics(CollectionView):
    roles = OWNERS
    parser_classes = [FormBody]

    @extend_schema(
        summary="Make every topic of the files a query",
        description="All topics are imported, or none. The job's error lists each invalid topic.",
        request={"multipart/form-data": TopicUpload},
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        values = self.parsed(TopicUpload)
        job = request_topics(
            collection=self.collection,
            uploads=values["file"],
            facet_key=values["facet"],
            topic_prefix=values["topic_prefix"],
            requested_by=self.person,
            dry_run=values["dry_run"],
        )
        return accepted(job)
