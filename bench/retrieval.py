"""BM25 and TF-IDF of a large corpus and 50 queries, beside the libraries that a script would use on its own."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable

from bench.texts import SENTENCES, abstracts

QUERIES, DEPTH = 50, 1000


def measure_retrieval(say: Callable[..., None], documents: int) -> None:
    from accounts.models import User
    from accounts.services import create_collection
    from corpus.models import Document, Query, text_digest
    from jobs.work import run_now

    admin, _ = User.objects.get_or_create(username="admin")
    made = create_collection(by=admin, slug="retrieval", name="retrieval", facets=["method"], seed="bench")
    rows: list[Document] = []
    for docno, title, sentences in abstracts(documents):
        digest = text_digest(title, sentences)
        about = {"title": title, "sentences": sentences, "labels": list(SENTENCES), "text_digest": digest}
        rows.append(Document(collection=made, docno=docno, **about))
        if len(rows) == 2000:
            Document.objects.bulk_create(rows)
            rows.clear()
    Document.objects.bulk_create(rows)
    papers = made.documents.order_by("pk")[:QUERIES]
    Query.objects.bulk_create(
        Query(collection=made, name=f"{each.docno}_method", document=each, facet="method") for each in papers
    )
    began = time.perf_counter()
    run_now("build_runs", collection=made, names=["bm25", "tfidf"])
    ours = time.perf_counter() - began
    plan = {"strategy": "interleaved", "n": 50, "sources": ["bm25", "tfidf"], "forced": [], "depths": {}, "queries": []}
    run_now("build_pools", collection=made, plan=plan)
    pooled = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    say(f"BM25, TF-IDF and pools, {documents:,} documents", "sqlite", f"{pooled:.1f} s", "≤ 60 s")
    say("  peak memory of that process", "sqlite", f"{peak:.0f} MiB", "≤ 2 GiB")
    theirs = float(subprocess.check_output([sys.executable, "-m", "bench.retrieval", str(documents)], text=True))
    say("  runs alone, beside bm25s and scikit-learn", "ratio", f"{ours / theirs:.2f}", "")


def library_seconds(documents: int) -> float:
    """bm25s and scikit-learn on the same texts, with what a careful script would write."""
    import bm25s
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import linear_kernel

    texts = [f"{title} {' '.join(sentences)}" for _, title, sentences in abstracts(documents)]
    queries = [text.split(".")[2] for text in texts[:QUERIES]]
    began = time.perf_counter()
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    index.retrieve(bm25s.tokenize(queries, show_progress=False), k=min(DEPTH, documents), show_progress=False)
    vectoriser = TfidfVectorizer(sublinear_tf=True)
    matrix = vectoriser.fit_transform(texts)
    linear_kernel(vectoriser.transform(queries), matrix).argsort(axis=1)[:, :-DEPTH:-1]
    return time.perf_counter() - began


if __name__ == "__main__":
    print(library_seconds(int(sys.argv[1])))
