"""Documents and queries in the API. Authors, venue and year are here, so admins only."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView, FormBody, found
from corpus.filters import FILTERS
from corpus.importing import MOST_SKIPPED
from corpus.models import Document, Query
from corpus.services import create_query
from corpus.sources import AUTO, FORMATS
from corpus.uploads import request_import, request_topics
from jobs.api import JobAnswer, accepted


class DocumentLine(serializers.Serializer[Document]):
    docno = serializers.CharField()
    title = serializers.CharField()
    year = serializers.IntegerField(allow_null=True)
    venue = serializers.CharField()


class DocumentAnswer(DocumentLine):
    sentences = serializers.ListField(child=serializers.CharField())
    labels = serializers.ListField(child=serializers.CharField())
    authors = serializers.ListField(child=serializers.CharField())
    references = serializers.ListField(child=serializers.CharField())
    fields_of_study = serializers.ListField(child=serializers.CharField(), source="fields")
    digest = serializers.CharField()


class DocumentUpload(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="JSON Lines, plain or gzip; see docs/formats.md.")
    format = serializers.ChoiceField(choices=FORMATS, default=AUTO)
    filter = serializers.ChoiceField(choices=["", *FILTERS], default="")
    skip_bad = serializers.IntegerField(min_value=0, max_value=MOST_SKIPPED, default=0)


class TopicUpload(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="TREC topics or BEIR queries, plain or gzip.")
    facet = serializers.CharField(max_length=30, help_text="What all of a topic is about.")
    prefix = serializers.RegexField(
        r"^\S*$", max_length=60, default="", allow_blank=True, help_text="Put before every id."
    )


class QueryAnswer(serializers.Serializer[Query]):
    name = serializers.CharField()
    docno = serializers.CharField(source="query_paper.document.docno")
    facet = serializers.CharField(source="facet.key")


class NewQuery(serializers.Serializer[Any]):
    docno = serializers.CharField(max_length=200)
    facet = serializers.CharField(max_length=30)


class Documents(CollectionView):
    parser_classes = [FormBody]

    @extend_schema(summary="Documents, by docno", responses=DocumentLine(many=True))
    def get(self, request: Request, slug: str) -> Response:
        unused = ("sentences", "labels", "authors", "references", "fields")
        rows = self.collection.documents.defer(*unused)
        return self.paged(rows, DocumentLine)

    @extend_schema(
        summary="Import a file of documents",
        request={"multipart/form-data": DocumentUpload},
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        asked = self.parsed(DocumentUpload)
        job = request_import(
            collection=self.collection,
            upload=asked["file"],
            requested_by=self.person,
            format_name=asked["format"],
            filter_name=asked["filter"],
            skip_bad=asked["skip_bad"],
        )
        return accepted(job)


class OneDocument(CollectionView):
    @extend_schema(summary="One document", responses=DocumentAnswer)
    def get(self, request: Request, slug: str, docno: str) -> Response:
        return Response(DocumentAnswer(found(self.collection.documents.all(), docno=docno)).data)


class Queries(CollectionView):
    @extend_schema(summary="Queries, by name", responses=QueryAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        rows = self.collection.queries.select_related("facet", "query_paper__document")
        return self.paged(rows, QueryAnswer)

    @extend_schema(
        summary="Make a document a query",
        description="Asking for a query that exists returns it.",
        request=NewQuery,
        responses={201: QueryAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        asked = self.parsed(NewQuery)
        query = create_query(
            collection=self.collection, docno=asked["docno"], facet_key=asked["facet"]
        )
        return Response(QueryAnswer(query).data, status=201)


class Topics(CollectionView):
    parser_classes = [FormBody]

    @extend_schema(
        summary="Make every topic of a file a query",
        description="All topics come in, or none. The job's error names each that is wrong.",
        request={"multipart/form-data": TopicUpload},
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        asked = self.parsed(TopicUpload)
        job = request_topics(
            collection=self.collection,
            upload=asked["file"],
            facet_key=asked["facet"],
            prefix=asked["prefix"],
            requested_by=self.person,
        )
        return accepted(job)
