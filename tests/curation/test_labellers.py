"""The labeller: its training, its file, and how well the one that is built in does."""

import io
import os
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, f1_score, precision_recall_fscore_support

from curation.labelling.examples import BadExample, Example, read_examples
from curation.labelling.features import SentencePlaces, WordHashes, neighbours, words_of
from curation.labelling.model import Header
from curation.labelling.scores import compare, predictions, score
from curation.labelling.training import TooFewExamples, train
from curation.labelling.weights import BadWeights, from_bytes, to_bytes
from curation.labels.labellers import BUILT_IN_FILE, BUILT_IN_LABELS, built_in_labeller

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
PARTS = (
    ("background", "Parsing of {n} sentences is an old problem."),
    ("method", "We propose a model with {n} layers."),
    ("result", "Experiments show that it gains {n} points."),
)


def made(number: int) -> Example:
    texts = [text.format(n=number) for _, text in PARTS]
    return Example(tuple(texts), tuple(label for label, _ in PARTS), (1.0, 1.0, 1.0))


EXAMPLES = [made(number) for number in range(25)]


@pytest.fixture(scope="module")
def labeller():
    return train(EXAMPLES, Header("own", "1", (), "7", "made-up abstracts"))


@pytest.fixture(scope="module")
def csabstruct_test() -> list[Example]:
    folder = Path(os.environ.get("CSABSTRUCT_DIR", SHARED / "csabstruct"))
    if not (folder / "test.jsonl").exists():
        pytest.skip(f"no CSFCube release, and no CSAbstruct in {folder}")
    with (folder / "test.jsonl").open(encoding="utf-8") as lines:
        return list(read_examples(lines, "test.jsonl"))


def model_card() -> str:
    return " ".join((ROOT / "docs" / "labels.md").read_text(encoding="utf-8").split())


def test_the_built_in_labeller_has_the_scores_that_its_model_card_publishes(csabstruct_test):
    """The figures of the docs, calculated by scikit-learn from the predicted labels."""
    predicted = predictions(built_in_labeller(), csabstruct_test)
    guesses = [label for labels in predicted for label in labels]
    gold = [label for example in csabstruct_test for label in example.labels]
    card = model_card()

    published = re.search(r"Micro-F1 .+? It is (\.\d+) on the test split \(([\d,]+) sent", card)
    assert published.groups() == (f"{f1_score(gold, guesses, average='micro'):.4f}"[1:], "1,349")
    assert len(gold) == 1_349
    by_label = precision_recall_fscore_support(gold, guesses, labels=BUILT_IN_LABELS)
    for label, *figures, count in zip(BUILT_IN_LABELS, *by_label, strict=True):
        cells = " | ".join(f"{figure:.3f}"[1:] for figure in figures)
        assert f"| {label} | {count} | {cells} |" in card
    for label, row in zip(BUILT_IN_LABELS, confusion_matrix(gold, guesses), strict=True):
        assert f"| {label} | {' | '.join(map(str, row))} |" in card
    scores = score(built_in_labeller(), csabstruct_test)
    assert scores.micro_f1 == pytest.approx(f1_score(gold, guesses, average="micro"))
    assert scores.confusion == tuple(map(tuple, confusion_matrix(gold, guesses).tolist()))


def test_the_built_in_labeller_reaches_its_published_score_on_the_development_split():
    card = model_card()
    published = re.search(r"and (\.\d+) on the development split", card)[1]

    assert published == f"{built_in_labeller().header.training['scores']['micro_f1']:.4f}"[1:]


def test_the_built_in_labellers_file_is_small_and_says_what_it_is():
    header = built_in_labeller().header

    assert BUILT_IN_FILE.stat().st_size < 2_000_000
    assert header.labels == BUILT_IN_LABELS
    assert (header.source, header.licence) == ("csabstruct 1", "Apache-2.0")


def test_a_labeller_learns_its_examples_and_survives_its_file(labeller):
    content = to_bytes(labeller)
    stored = from_bytes(content)

    assert labeller.header.labels == ("background", "method", "result")
    assert score(stored, [made(99)]).micro_f1 == 1
    assert stored.header == labeller.header
    assert to_bytes(labeller) == content


def test_an_abstract_gets_the_same_labels_alone_and_among_others(labeller):
    abstracts = [list(example.sentences) for example in EXAMPLES[:4]] + [[], ["…"]]
    hashes = WordHashes()

    together = labeller.predict(abstracts, hashes)

    assert together == [labeller.predict([abstract], hashes)[0] for abstract in abstracts]
    assert together[4] == ([], [])


def test_embeddings_are_used_beside_words():
    """Words say nothing here; only the vectors tell the labels apart."""
    labels = ["method", "result"] * 10
    examples = [Example(("same words",), (label,), (1.0,)) for label in labels]
    turns = iter(labels * 2)

    def embed(sentences):
        by_label = {"method": [1.0, 0.0], "result": [0.0, 1.0]}
        return np.array([by_label[next(turns)] for _ in sentences], np.float32)

    header = Header("own", "1", (), "7", "vectors", encoder="letters")
    trained = from_bytes(to_bytes(train(examples, header, embed=embed)))

    predicted = trained.predict([e.sentences for e in examples], WordHashes(), embed)
    assert [sentence for each in predicted for sentence in each.labels] == labels


def test_too_few_examples_are_refused():
    with pytest.raises(TooFewExamples, match="at least 10 labelled abstracts"):
        train(EXAMPLES[:9], Header("own", "1", (), "7", ""))


def _pickled() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, header=np.array([{"a": 1}], object))
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content", [b"", b"text", _pickled(), BUILT_IN_FILE.read_bytes()[:-99]], ids=range(4)
)
def test_a_file_that_is_no_labeller_is_refused(content):
    with pytest.raises(BadWeights, match="own"):
        from_bytes(content, "own.npz")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "is not JSON"),
        ('{"sentences": "a"}', '"sentences" must be a list'),
        ('{"sentences": ["a", "b"], "labels": ["x"]}', "each of the 2 sentences, got 1"),
        ('{"sentences": ["a"], "labels": [7]}', "got 7"),
        ('{"sentences": ["a"], "labels": ["x"], "confs": [2]}', '"confs" must have a number'),
    ],
)
def test_an_invalid_example_names_its_line(line, problem):
    with pytest.raises(BadExample, match=rf"^own.jsonl:2: .*{problem}"):
        list(read_examples(["", line], "own.jsonl"))


def test_numbers_and_capitals_are_the_same_word():
    assert words_of("We gain 3.5% and 12,000!") == [
        *("we", "gain", "0", ".", "0", "%", "and", "0", ",", "0", "!")
    ]


def test_a_sentence_has_neighbours_in_its_own_abstract_only():
    shape = SentencePlaces.of([["a", "b"], ["c"]])
    rows = np.array([[1.0], [2.0], [3.0]], np.float32)

    assert neighbours(rows, shape, -1).ravel().tolist() == [0, 1, 0]
    assert neighbours(rows, shape, 1).ravel().tolist() == [2, 0, 0]


def test_scores_count_every_pair_of_labels():
    scores = compare([["a", "a", "b"]], [["a", "b", "b"]])

    assert scores.micro_f1 == pytest.approx(2 / 3)
    assert scores.confusion == ((1, 1), (0, 1))
    assert (scores.labels[0].precision, scores.labels[0].recall) == (1.0, 0.5)
