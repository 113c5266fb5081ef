"""The format of a bundle, and the names of the files that are written, read and checked. Pure."""

from __future__ import annotations

MANIFEST = "manifest.json"
SUMS = "SHA256SUMS"
README = "README.md"
SETTINGS = "collection/settings.json"
GUIDELINES = "collection/guidelines.json"
QUERY_PAPERS = "collection/query_papers.jsonl"
DOCUMENTS = "collection/documents.jsonl"
POOLS = "pools/pool.jsonl"
RATINGS = "annotations/ratings.csv"
ADJUDICATIONS = "annotations/adjudications.csv"
QUESTIONS = "annotations/questions.csv"
HELP_REQUESTS = "annotations/help_requests.csv"
PROPOSALS = "annotations/proposals.csv"
QRELS = "trec/qrels.all.txt"
QUERY_TABLE = "trec/queries.tsv"
CORPUS = "corpus.json"
SPLITS = "splits.json"
# The official name is of folds that were published. No script reads made ones by mistake.
IMPORTED_SPLITS = "csfcube/evaluation_splits.json"
MADE_SPLITS = "csfcube/made_splits.json"
FORMAT = "qrelsmith-release"
FORMAT_VERSION = 1  # another number where readers of the old format would misread the new one
