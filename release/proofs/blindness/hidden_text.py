"""The names and texts that a person must not get, and the search for them in answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db.models import Q

from accounts.models import Collection, User
from adjudication.blind.reading import hidden_pairs
from adjudication.models import Decision
from annotation.models import Guideline, Judgment, Pair, RepeatJudgment
from corpus.models import Document
from database.consistent_reads import batched
from pooling.models import Contribution
from release.proofs.blindness.people import CheckedPerson
from release.proofs.blindness.visitor import ReceivedAnswer

SHORTEST = 3  # characters; a shorter name is in too many words
TOGETHER = 500  # keys in a query
NOTES = 200  # of others, that are searched for each person
CONTEXT = 40  # characters around a finding
SOURCE, PERSON, METADATA, NOTE = "source", "person", "metadata", "note"
KINDS = {
    SOURCE: "runs, retrievers and systems",
    PERSON: "other people",
    METADATA: "authors and venues",
    NOTE: "notes of others",
}


class HiddenText(NamedTuple):
    """A name or text that a person must not get, with its kind."""

    text: str
    kind: str

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w){re.escape(self.text)}(?!\w)")


class HiddenTexts:
    """Everything that must not be told, and the words that cannot be searched for.

    A name that is also a word of the pages or of the collection's own texts, such as a run called
    "method", would be found in any answer. It is not searched for, and the report says so.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.unsearchable: set[HiddenText] = set()

    @cached_property
    def sources(self) -> list[HiddenText]:
        collection = self.collection
        of_pools = Contribution.objects.filter(
            candidate__pool__query_paper__collection=collection
        ).order_by()
        names = {
            *collection.runs.values_list("name", flat=True),
            *collection.systems.values_list("name", flat=True),
            *collection.shadow_judges.values_list("name", flat=True),
            *of_pools.values_list("source", flat=True).distinct(),
        }
        return self._searchable(names, SOURCE)

    @cached_property
    def people(self) -> Mapping[int, list[HiddenText]]:
        """The names of each member."""
        members = User.objects.filter(memberships__collection=self.collection).distinct()
        return {
            person.pk: self._searchable(
                {person.username, person.get_full_name(), person.email}, PERSON
            )
            for person in members
        }

    def for_person(self, checked: CheckedPerson) -> list[HiddenText]:
        """All that this person must not get, with the metadata and notes of the sampled pairs."""
        person = checked.person
        own = {person.username, person.get_full_name(), person.email}
        others = [text for pk, texts in self.people.items() if pk != person.pk for text in texts]
        hidden_people = [] if checked.knows_people else others
        found = [*self.sources, *hidden_people, *self._metadata(checked), *self._notes(checked)]
        # A name that is a part of the own one is told with it.
        return [
            hidden
            for hidden in dict.fromkeys(found)
            if not any(hidden.pattern.search(name) for name in own)
        ]

    def _metadata(self, checked: CheckedPerson) -> list[HiddenText]:
        pairs = (*checked.own, *checked.of_others)
        docnos = {docno for pair in pairs for docno in (pair.docno, pair.query_paper)}
        rows = self.collection.documents.filter(docno__in=docnos).values_list("authors", "venue")
        names = {name for authors, venue in rows for name in (*authors, venue)}
        return self._searchable(names, METADATA)

    def _notes(self, checked: CheckedPerson) -> list[HiddenText]:
        """An adjudicator sees the notes of the pairs to decide, and not those of other pairs."""
        hidden = (*checked.of_others, *checked.graded_blind)
        pairs = hidden if checked.is_adjudicator else checked.own
        of_pairs = {"query__name__in": {pair.query for pair in pairs}}
        if checked.is_adjudicator:
            of_pairs["token__in"] = {pair.token for pair in pairs}
        judged = Pair.objects.of(self.collection).filter(**of_pairs).order_by().values("pk")
        notes = Judgment.objects.filter(slot__pair__in=judged).exclude(annotator=checked.person)
        decided = Decision.objects.filter(pair__in=judged).exclude(adjudicator=checked.person)
        # Only their author is shown these, so not even an adjudicator.
        repeats = RepeatJudgment.objects.filter(repeat__slot__pair__in=judged).exclude(
            annotator=checked.person
        )
        found = {
            note.strip()
            for rows in (notes.order_by("pk"), decided.order_by("pk"), repeats.order_by("pk"))
            for note in rows.exclude(note="").values_list("note", flat=True)[:NOTES]
        }
        return self._searchable(found, NOTE)

    def _searchable(self, names: Iterable[str], kind: str) -> list[HiddenText]:
        found = []
        for name in sorted({name.strip() for name in names} - {""}):
            hidden = HiddenText(name, kind)
            if len(name) < SHORTEST or hidden.pattern.search(self._public_words):
                self.unsearchable.add(hidden)
            else:
                found.append(hidden)
        return found

    @cached_property
    def _public_words(self) -> str:
        """The pages without any data, and the collection's texts that everybody may read."""
        collection = self.collection
        pages = (
            path.read_text() for path in sorted(Path(settings.BASE_DIR).glob("templates/**/*.html"))
        )
        about = (collection.slug, collection.name, collection.description, collection.licence)
        guidelines = Guideline.objects.filter(facet__collection=collection).order_by("pk")
        facets = [f"{facet.key} {facet.name}" for facet in collection.facets.all()]
        texts = [f"{guideline.instructions} {guideline.grades}" for guideline in guidelines]
        return "\n".join([*pages, *about, collection.corpus_licence, *facets, *texts])


class PersonsTexts:
    """The texts that a person is shown: documents, topics and notes; with `all_pairs` of all pairs.

    Where an answer has one of them, a name in it is no finding: an abstract may name an author, or
    have the word that is the name of a run.
    """

    def __init__(self, collection: Collection, person: User, *, all_pairs: bool) -> None:
        self.collection, self.person, self.all_pairs = collection, person, all_pairs

    def without(self, text: str) -> str:
        """The text of an answer without the texts of the documents whose titles it has."""
        shown = [pk for pk, title in self._titles if title and title in text]
        for some in batched(shown, TOGETHER):
            rows = Document.objects.filter(pk__in=some).order_by("pk")
            for title, sentences, sections in rows.values_list(
                "title", "sentences", "full_text__sections"
            ):
                paragraphs = [
                    paragraph
                    for section in sections or ()
                    for paragraph in (section["heading"], *section["paragraphs"])
                ]
                text = _without(text, title, *sentences, *paragraphs)
        return _without(text, *self._topics, *self._notes)

    @cached_property
    def _titles(self) -> list[tuple[int, str]]:
        pairs = Pair.objects.of(self.collection).order_by()
        if not self.all_pairs:
            pairs = pairs.filter(slots__annotator=self.person)
        shown = Q(pk__in=pairs.values("candidate__document")) | Q(
            pk__in=pairs.values("query__query_paper__document")
        )
        documents = self.collection.documents.filter(shown).order_by("pk")
        return list(documents.values_list("pk", "title"))

    @cached_property
    def _topics(self) -> list[str]:
        columns = ("title", "description", "narrative", "sentences")
        rows = self.collection.topics.order_by("pk").values_list(*columns)
        return [text for *texts, sentences in rows for text in (*texts, *sentences)]

    @cached_property
    def _notes(self) -> list[str]:
        """The own notes, which may name anything, and for an adjudicator those of the cases."""
        notes = Judgment.objects.filter(slot__pair__query__collection=self.collection)
        if self.all_pairs:
            judged = Pair.objects.of(self.collection).judged().order_by()
            hidden = hidden_pairs(self.collection, self.person).order_by()
            notes = notes.filter(slot__pair__in=judged.values("pk"))
            notes = notes.exclude(slot__pair__in=hidden.values("pk"))
        else:
            notes = notes.filter(annotator=self.person)
        decided = Decision.objects.filter(
            pair__query__collection=self.collection, adjudicator=self.person
        )
        repeats = RepeatJudgment.objects.filter(
            repeat__query__collection=self.collection, annotator=self.person
        )
        rows = (notes.order_by("pk"), decided.order_by("pk"), repeats.order_by("pk"))
        return [
            note.strip()
            for found in rows
            for note in found.exclude(note="").values_list("note", flat=True)
        ]


def _without(text: str, *shown: str) -> str:
    for each in sorted(filter(None, shown), key=len, reverse=True):
        text = text.replace(each, " … ")
    return text


class FoundText(NamedTuple):
    """A text in an answer that must not be there, and the text around it."""

    hidden: HiddenText
    excerpt: str


def found_in(
    answer: ReceivedAnswer, hidden: Iterable[HiddenText], shown: PersonsTexts
) -> Iterator[FoundText]:
    text = answer.text
    # It finds none in most answers. A search for thousands of names by one pattern takes longer.
    suspected = [each for each in hidden if each.text in text]
    suspected = [each for each in suspected if each.pattern.search(text)]
    if not suspected:
        return
    left = shown.without(text)
    for each in suspected:
        if match := each.pattern.search(left):
            start, end = max(match.start() - CONTEXT, 0), match.end() + CONTEXT
            yield FoundText(each, " ".join(left[start:end].split()))
