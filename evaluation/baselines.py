"""Baselines of CSFCube's paper: each re-ranks the judged pool of every query, and is a system as any run.

Mysore et al. (2021), section 5 and appendix C. A query is the sentences of its facet, a candidate its whole abstract,
without the title. Without facets a query is the paper's abstract, or the topic. Whatever is counted or trained over a
corpus is so over all abstracts of the collection: the paper's 800,000 are not released, so figures come only near.

A candidate that cannot be compared (no text, no word with a vector) goes last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from accounts.models import Collection
from accounts.services import lock_collection
from corpus.models import Query
from evaluation import scores
from evaluation.measures import profile
from jobs.work import Work, job
from retrieval.building import by_docno, delete_run, insert_lists
from retrieval.extras import ENCODERS, WORD2VEC, Extra
from retrieval.lists import Ranking, best_first
from retrieval.models import BASELINE, Run
from retrieval.vectors import Words, by_distance, encoded
from web.errors import BadInput, Conflict

if TYPE_CHECKING:
    from retrieval.vectors import Floats

K1, B, EPSILON = 1.5, 0.75, 0.25  # rank_bm25's defaults


class Corpus:
    """What is counted and trained over all abstracts, once for all baselines of a job."""

    def __init__(self, work: Work) -> None:
        self.work, self.documents = work, work.collection.documents

    @cached_property
    def words(self) -> Words:
        return Words(self._abstracts(), self.work.progress)

    def _abstracts(self) -> Iterator[str]:
        """Docno descending."""
        total = self.documents.count()
        for number, each in enumerate(by_docno(self.documents.all(), ("docno", "sentences")), 1):
            yield " ".join(each.sentences)
            self.work.progress(number, total, "abstracts read")


def abstracts(texts: Iterable[list[str]]) -> list[str]:
    return [" ".join(sentences) for sentences in texts]


# A score for each candidate, the higher the more alike; NaN for one that cannot be compared. A query and a candidate
# are their sentences, at least one.
Score = Callable[[Corpus, list[str], list[list[str]]], "Floats"]


def tfidf(corpus: Corpus, query: list[str], candidates: list[list[str]]) -> Floats:
    """Cosines of sparse vectors. Of vectors of length 1, it is the order of their L2 distances."""
    import numpy as np
    from sklearn.preprocessing import normalize

    rows = normalize(corpus.words.weights(abstracts([query, *candidates])))
    found = (rows[1:] @ rows[0].T).toarray()[:, 0]
    return np.where(np.diff(rows.indptr)[1:] > 0, found, np.nan)


def bm25(corpus: Corpus, query: list[str], candidates: list[list[str]]) -> Floats:
    """BM25Okapi of the package rank_bm25 with its defaults. A word counts as often as the query has it.

    The idf of a word in n of N abstracts is ln((N − n + ½)/(n + ½)); where negative, EPSILON times the mean of all.
    """
    import numpy as np

    words = corpus.words
    counts = words.counts(abstracts([query, *candidates]))
    asked, rows = counts[0], counts[1:]
    lengths = np.asarray(rows.sum(axis=1))  # (candidates, 1)
    idf = np.log(words.documents - words.frequencies + 0.5) - np.log(words.frequencies + 0.5)
    idf = np.where(idf < 0, EPSILON * idf.mean(), idf)
    tf = rows[:, asked.indices].toarray()  # (candidates, words of the query)
    saturated = tf * (K1 + 1) / (tf + K1 * (1 - B + B * lengths * words.documents / words.running))
    found = (saturated * idf[asked.indices] * asked.data).sum(axis=1)
    return np.where(lengths[:, 0] > 0, found, np.nan)


def mean_vectors(corpus: Corpus, query: list[str], candidates: list[list[str]], *, is_weighted: bool) -> Floats:
    """Minus the L2 distances of the means of word vectors, weighted by tf · idf or by tf alone."""
    means = corpus.words.means(abstracts([query, *candidates]), is_weighted=is_weighted)
    return by_distance(means[1:], means[0])


def closest_sentences(
    corpus: Corpus, query: list[str], candidates: list[list[str]], *, model: str, pooling: str
) -> Floats:
    """The largest cosine of a sentence of the query and one of the candidate."""
    import numpy as np

    sentences = [*query, *(sentence for text in candidates for sentence in text)]
    vectors = encoded(sentences, model, pooling)
    best = (vectors[len(query) :] @ vectors[: len(query)].T).max(axis=1)  # by sentence of the candidates
    starts = np.cumsum([0, *map(len, candidates[:-1])])
    return np.maximum.reduceat(best, starts)


@dataclass(frozen=True)
class Baseline:
    """`extra` is what it needs beyond the usual installation."""

    label: str
    score: Score
    library: str
    extra: Extra | None = None
    model: str = ""


def _sentences(label: str, model: str, pooling: str = "") -> Baseline:
    score = partial(closest_sentences, model=model, pooling=pooling)
    label = f"{label}: the closest pair of sentences, by cosine"
    return Baseline(label, score, ENCODERS.library, ENCODERS, model)


def _word2vec(label: str, *, is_weighted: bool) -> Baseline:
    return Baseline(label, partial(mean_vectors, is_weighted=is_weighted), WORD2VEC.library, WORD2VEC)


BY_FACET: dict[str, Baseline] = {
    "fabs_tfidf": Baseline("TF-IDF, by cosine", tfidf, "scikit-learn"),
    "fabs_bm25": Baseline("BM25, Okapi as in rank_bm25", bm25, "scikit-learn"),
    "fabs_cbow200": _word2vec("Mean word2vec vector, by distance", is_weighted=False),
    "fabs_tfidfcbow200": _word2vec("Mean word2vec vector weighted by TF-IDF, by distance", is_weighted=True),
    "SentBERT-PP": _sentences("SentBERT trained on paraphrases", "sentence-transformers/paraphrase-TinyBERT-L6-v2"),
    "SentBERT-NLI": _sentences("SentBERT trained on inference", "sentence-transformers/nli-roberta-base-v2"),
    "UnSimCSE": _sentences("SimCSE, unsupervised", "princeton-nlp/unsup-simcse-bert-base-uncased", "cls"),
    "SuSimCSE": _sentences("SimCSE, supervised", "princeton-nlp/sup-simcse-bert-base-uncased", "cls"),
}
WHOLE: dict[str, Baseline] = {"abs_tfidf": BY_FACET["fabs_tfidf"], "abs_bm25": BY_FACET["fabs_bm25"]}


def baselines_of(collection: Collection) -> dict[str, Baseline]:
    """Those that the collection can have, by name."""
    return BY_FACET if collection.facets else WHOLE


def check_baseline(collection: Collection, name: str) -> Baseline:
    found = baselines_of(collection).get(name)
    if found is None:
        raise BadInput(f"There is no baseline {name!r} here. Choose from {', '.join(baselines_of(collection))}.")
    if found.extra:
        found.extra.require(name)
    if collection.runs.filter(name=name).exclude(kind=BASELINE).exists():
        raise Conflict(f"There is a run {name} that is no baseline. Delete it first.")
    return found


@job("build_baselines")
def build_baselines(work: Work, *, names: list[str]) -> None:
    """Each becomes a run in place of its earlier one, and is scored at once."""
    collection = work.collection
    chosen = {name: check_baseline(collection, name) for name in names}
    corpus = Corpus(work)
    for name, baseline in chosen.items():
        pools = {query: sorted(grades) for query, grades in scores.labels_of(collection).items()}
        if not pools:
            raise BadInput("No pair has a label yet, so there is no judged pool to rank. Judge pairs first.")
        queries = collection.queries.filter(name__in=pools).select_related("document", "collection").order_by("pk")
        rankings: list[tuple[Query, Ranking]] = []
        for number, query in enumerate(queries, 1):
            rankings.append((query, reranked(corpus, baseline, query, pools[query.name])))
            work.progress(number, len(pools), f"{name}: queries ranked")
        about = {
            "label": baseline.label,
            "library": f"{baseline.library} {version(baseline.library)}",
            "pairs": sum(map(len, pools.values())),
            "corpus": corpus.documents.count(),
        }
        with work.step():
            locked = lock_collection(collection)
            for old in locked.runs.filter(name=name):
                check_baseline(locked, name)  # a run of this name may have come meanwhile
                delete_run(run=old)
            depth = max(map(len, pools.values()))
            run = Run.objects.create(collection=locked, name=name, kind=BASELINE, settings=about, depth=depth)
            insert_lists(run, rankings)
        scores.score_runs(collection, [run], profile(scores.profiles_of(collection)[0], collection.relevant_from))
    with work.commit() as result:
        result["systems"] = names


def reranked(corpus: Corpus, baseline: Baseline, query: Query, docnos: list[str]) -> Ranking:
    """The judged documents of a query, best first; what cannot be compared last, 1 below the lowest of the others."""
    texts = dict(corpus.documents.filter(docno__in=docnos).values_list("docno", "sentences"))
    comparable = [docno for docno in docnos if any(texts[docno])]
    asked = asked_sentences(query)
    found: dict[str, float] = {}
    if asked and comparable:
        values = baseline.score(corpus, asked, [texts[docno] for docno in comparable]).tolist()
        found = {docno: value for docno, value in zip(comparable, values, strict=True) if value == value}
    last = min(found.values(), default=1.0) - 1
    return best_first(docnos, [found.get(docno, last) for docno in docnos])


def asked_sentences(query: Query) -> list[str]:
    """The chosen sentences; without facets all of the abstract, or the topic's title and description."""
    if query.document is None:
        return [query.search_text()] if query.search_text() else []
    marked = query.marked_sentences()
    return [text for text, is_chosen in marked if is_chosen or not (query.facet or query.sentence_numbers)]
