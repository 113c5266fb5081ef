"""The file of a labeller, its examples and its scores. Pure."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict, replace

import numpy as np
import pytest

from corpus.ordering import order_key
from curation.labelling import scores as scores_module
from curation.labelling import weights as weights_module
from curation.labelling.examples import BadExample, Example, hold_out, read_examples
from curation.labelling.features import NEIGHBOUR_COLUMNS, OWN_COLUMNS, POSITION_COLUMNS
from curation.labelling.model import Header, SentenceLabeller, WordWeights, softmax
from curation.labelling.scores import LabelScore, compare, predictions, score
from curation.labelling.weights import BadWeights, from_bytes, to_bytes

HEADER = Header("own", "2", ("a", "b"), "7", "made-up weights", "CC0", "letters", {"é": 1})
CONTEXT = 14 * 2 + POSITION_COLUMNS


def a_labeller() -> SentenceLabeller:
    draw = np.random.default_rng(3)

    def some(*shape):
        return draw.normal(size=shape).astype(np.float32)

    words = WordWeights(
        abs(some(OWN_COLUMNS)) + 1,
        abs(some(NEIGHBOUR_COLUMNS)) + 1,
        *(some(size, 2) * [1, 0.1] for size in (OWN_COLUMNS, NEIGHBOUR_COLUMNS, NEIGHBOUR_COLUMNS)),
    )
    return SentenceLabeller(
        HEADER, words, some(POSITION_COLUMNS, 2), some(3, 2), some(2), some(CONTEXT, 2), some(2)
    )


@pytest.fixture(scope="module")
def labeller() -> SentenceLabeller:
    return a_labeller()


@pytest.fixture(scope="module")
def content(labeller) -> bytes:
    return to_bytes(labeller)


def test_a_file_keeps_the_weights_to_half_a_step(labeller, content):
    stored = from_bytes(content)

    assert stored.header == HEADER
    assert stored.header.source == "own 2"
    for name in ("own", "previous", "following"):
        before, after = getattr(labeller.words, name), getattr(stored.words, name)
        largest = max(abs(getattr(labeller.words, each)[:, 0]).max() for each in WORDS)
        smaller = max(abs(getattr(labeller.words, each)[:, 1]).max() for each in WORDS)
        for label, step in enumerate((largest / 127, smaller / 127)):
            assert abs(after - before)[:, label].max() <= step * 0.501
    step = max(labeller.words.own_idf.max(), labeller.words.neighbour_idf.max()) / 255
    assert abs(stored.words.own_idf - labeller.words.own_idf).max() <= step * 0.501
    assert abs(stored.words.neighbour_idf - labeller.words.neighbour_idf).max() <= step * 0.501
    for name in ("position", "embedding", "intercept", "context", "context_intercept"):
        before, after = getattr(labeller, name), getattr(stored, name)
        assert after.dtype == np.float32
        assert after.flags.c_contiguous
        np.testing.assert_allclose(after, np.round(before, 5), atol=1e-7)


WORDS = ("own", "previous", "following")


def test_whole_numbers_reach_127_and_255(content):
    arrays = np.load(io.BytesIO(content))

    words = np.concatenate([arrays[name] for name in WORDS], axis=1)
    assert abs(words.astype(int)).max(axis=1).tolist() == [127, 127]
    assert max(arrays["own_idf"].max(), arrays["neighbour_idf"].max()) == 255
    assert arrays["own"].dtype == np.int8
    assert arrays["own_idf"].dtype == np.uint8
    assert json.loads(arrays["header"].tobytes())["format"] == weights_module.FORMAT
    assert '"é"' in arrays["header"].tobytes().decode()


def test_the_header_has_sorted_keys(content):
    header = np.load(io.BytesIO(content))["header"].tobytes().decode()

    assert list(json.loads(header)) == sorted(json.loads(header))


def test_a_label_without_weights_stays_without(labeller):
    words = labeller.words
    words = words._replace(**{name: getattr(words, name) * [1, 0] for name in WORDS})

    stored = from_bytes(to_bytes(replace(labeller, words=words)))

    assert not stored.words.own[:, 1].any()
    assert stored.words.own[:, 0].any()
    assert np.load(io.BytesIO(to_bytes(replace(labeller, words=words))))["scale"][1] == 1


def changed(content: bytes, **arrays) -> bytes:
    """The file with other arrays; None leaves one out."""
    every = {**np.load(io.BytesIO(content)), **arrays}
    buffer = io.BytesIO()
    np.savez(buffer, **{key: value for key, value in every.items() if value is not None})
    return buffer.getvalue()


def header_bytes(content: bytes, **values) -> np.ndarray:
    header = json.loads(np.load(io.BytesIO(content))["header"].tobytes())
    header = {key: value for key, value in {**header, **values}.items() if value is not None}
    return np.frombuffer(json.dumps(header).encode(), np.uint8)


@pytest.mark.parametrize(
    "name",
    [
        *("scale", "idf_scale", "own_idf", "neighbour_idf", *WORDS, "position", "embedding"),
        *("intercept", "context", "context_intercept"),
    ],
)
def test_numbers_that_are_missing_or_have_another_shape_are_refused(content, name):
    array = np.load(io.BytesIO(content))[name]
    larger = np.concatenate([array, array[:1]])
    wider = np.concatenate([array, array[:, :1]], axis=1) if array.ndim == 2 else array[:, None]

    for other in (None, wider) if name == "embedding" else (None, larger, wider):
        with pytest.raises(BadWeights, match=f"own.npz has no valid numbers of '{name}'. Train"):
            from_bytes(changed(content, **{name: other}), "own.npz")


def test_an_embedding_must_have_two_dimensions(content):
    with pytest.raises(BadWeights, match="no valid numbers of 'embedding'"):
        from_bytes(changed(content, embedding=np.zeros((3, 2, 1), np.float32)))
    with pytest.raises(BadWeights, match="no valid numbers of 'embedding'"):
        from_bytes(changed(content, embedding=np.zeros(2, np.float32)))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"format": "other"}, r"own.npz has no valid header \(another format\). Train it again."),
        ({"format": None}, "own.npz has no valid header"),
        ({"labels": None}, "own.npz has no valid header"),
        ({"shoe": 1}, "own.npz has no valid header"),
        ({"features": 2}, "features of version 2, and this Qrelsmith makes version 1. Train"),
        ({"labels": ["a"]}, "no valid numbers of 'scale'"),
    ],
)
def test_a_header_of_something_else_is_refused(content, values, message):
    with pytest.raises(BadWeights, match=message):
        from_bytes(changed(content, header=header_bytes(content, **values)), "own.npz")


def test_a_file_without_a_header_or_with_a_list_is_refused(content):
    for header in (None, np.frombuffer(b"[1]", np.uint8), np.frombuffer(b"{", np.uint8)):
        with pytest.raises(BadWeights, match="weights has no valid header"):
            from_bytes(changed(content, header=header))


def test_a_file_that_unpacks_to_too_much_is_refused(content, monkeypatch):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(member.file_size for member in archive.infolist())
    monkeypatch.setattr(weights_module, "MOST_BYTES", size)
    assert from_bytes(content).header == HEADER
    monkeypatch.setattr(weights_module, "MOST_BYTES", size - 1)
    with pytest.raises(BadWeights, match=r"weights is larger than any labeller\."):
        from_bytes(content)


def test_the_largest_file_has_64_mebibytes():
    assert weights_module.MOST_BYTES == 67_108_864


def test_pickled_objects_are_not_loaded():
    buffer = io.BytesIO()
    np.savez(buffer, header=np.array([{"a": 1}], object))

    with pytest.raises(BadWeights, match=r"own\.npz is not a labeller’s file .*pickle"):
        from_bytes(buffer.getvalue(), "own.npz")


def test_softmax_is_that_of_large_scores_too():
    found = softmax(np.array([[1000, 1000], [0, np.log(3)]], np.float32))

    np.testing.assert_allclose(found, [[0.5, 0.5], [0.25, 0.75]], atol=1e-6)
    assert found.dtype == np.float32


def test_scores_are_undefined_for_a_label_that_no_sentence_got_or_had():
    scores = compare([["a", "a", "b"], ["a"]], [["c", "a", "a"], ["a"]])

    assert (scores.abstracts, scores.sentences, scores.micro_f1) == (2, 4, 0.5)
    assert scores.labels == (
        LabelScore("a", 3, 2 / 3, 2 / 3, 2 / 3),
        LabelScore("b", 1, None, 0.0, 0.0),
        LabelScore("c", 0, 0.0, None, 0.0),
    )
    assert scores.confusion == ((2, 0, 1), (1, 0, 0), (0, 0, 0))
    assert asdict(scores)["labels"][1] == {
        **{"label": "b", "sentences": 1, "precision": None, "recall": 0.0, "f1": 0.0}
    }


@pytest.mark.parametrize(
    ("gold", "predicted"), [([], []), ([[]], [[]]), ([["a"]], [["a", "b"]]), ([["a"]], [[]])]
)
def test_scores_need_a_prediction_of_every_sentence(gold, predicted):
    with pytest.raises(ValueError, match="gold and"):
        compare(gold, predicted)


def test_predictions_are_made_batch_by_batch_in_order(monkeypatch):
    batches = []

    class Echo:
        def predict(self, abstracts, hashes, embed):
            batches.append((len(abstracts), embed))
            return [type("Predicted", (), {"labels": list(texts)}) for texts in abstracts]

    monkeypatch.setattr(scores_module, "BATCH", 2)
    examples = [Example((f"s{n}",), ("a",), (1.0,)) for n in range(5)]

    assert predictions(Echo(), examples, len) == [["s0"], ["s1"], ["s2"], ["s3"], ["s4"]]
    assert batches == [(2, len), (2, len), (1, len)]
    scores = score(Echo(), examples, len)
    assert (scores.micro_f1, scores.sentences, scores.abstracts) == (0, 5, 5)
    assert scores.labels[0].label == "a"


def lines(*objects) -> list[str]:
    return [json.dumps(each) for each in objects]


def test_examples_are_read_with_their_weights():
    text = lines(
        {"sentences": ["a", "b"], "labels": ["x", "y"], "confs": [1, 0.5]},
        {"sentences": ["c"], "labels": ["x"]},
        {"sentences": ["d"], "labels": []},
        {"sentences": [], "labels": ["x"]},
        {"sentences": ["e"]},
        {"sentences": ["f", "g"], "labels": ["x", ""]},
        {"sentences": ["h"], "labels": ["x" * 60], "confs": [0.01]},
    )

    assert list(read_examples([*text[:2], " \n", *text[2:]], "own")) == [
        Example(("a", "b"), ("x", "y"), (1.0, 0.5)),
        Example(("c",), ("x",), (1.0,)),
        Example(("h",), ("x" * 60,), (0.01,)),
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('["a"]', '"sentences" must be a list. Write a list of texts'),
        ('{"sentences": ["a", 7], "labels": ["x", "y"]}', '"sentences" must hold texts only'),
        ('{"sentences": ["a"], "labels": "x"}', "each of the 1 sentences, got no list"),
        ('{"sentences": ["a"], "labels": ["x", "y"]}', "each of the 1 sentences, got 2"),
        ('{"sentences": ["a"], "labels": [" x"]}', 'got " x"'),
        ('{"sentences": ["a"], "labels": ["x"], "confs": [0]}', '"confs" must have'),
        ('{"sentences": ["a"], "labels": ["x"], "confs": [-0.1]}', '"confs" must have'),
        ('{"sentences": ["a"], "labels": ["x"], "confs": [1.1]}', '"confs" must have'),
        ('{"sentences": ["a"], "labels": ["x"], "confs": [1, 1]}', '"confs" must have'),
        ('{"sentences": ["a"], "labels": ["x"], "confs": ["1"]}', '"confs" must have'),
        ('{"sentences": ["a"], "labels": ["x"], "confs": 1}', '"confs" must have'),
        (f'{{"sentences": ["a"], "labels": ["{"x" * 61}"]}}', "texts of 1 to 60 characters"),
        ("[" * 100_000, "this line is not JSON"),
    ],
)
def test_an_invalid_example_is_named_by_its_line(line, problem):
    with pytest.raises(BadExample) as caught:
        list(read_examples(["\n", "", line], "own.jsonl"))
    assert str(caught.value).startswith("own.jsonl:3: ")
    assert problem in str(caught.value)


def test_a_long_label_is_cut_in_the_message():
    line = json.dumps({"sentences": ["a"], "labels": ["x" * 99]})
    with pytest.raises(BadExample) as caught:
        list(read_examples([line], "own.jsonl"))
    assert str(caught.value).endswith(f'got "{"x" * 59}.')


@pytest.mark.parametrize("count", [4, 5, 14, 15])
def test_one_example_in_five_is_held_out_by_the_seed(count):
    examples = [Example((f"s{n}",), ("a",), (1.0,)) for n in range(count)]
    order = sorted(range(count), key=lambda n: order_key("7", "held-out", "", str(n)))

    seen, held_out = hold_out(examples, "7")

    assert held_out == [examples[n] for n in sorted(order[: count // 5])]
    assert seen == [each for each in examples if each not in held_out]
