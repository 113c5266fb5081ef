import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.formats.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One thing. Another thing.", ["One thing.", "Another thing."]),
        ("No end mark", ["No end mark"]),
        ("Does it? It does! Good…  Very", ["Does it?", "It does!", "Good…", "Very"]),
        ("He said “no.” She left.", ["He said “no.”", "She left."]),
        ("It works (mostly.) We stop.", ["It works (mostly.)", "We stop."]),
        ("Broken\nover\u2028lines.\n\nNext one.", ["Broken over lines.", "Next one."]),
        ("«Ça va.» Été arrive.", ["«Ça va.»", "Été arrive."]),
        ("见图。好！再来", ["见图。", "好！", "再来"]),
        ("In 2010. Then 3 more.", ["In 2010.", "Then 3 more."]),
    ],
)
def test_a_sentence_ends_after_its_mark(text, sentences):
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    "text",
    [
        "Methods, e.g. BERT, i.e. encoders, cf. Smith vs. Jones.",
        "As in Smith et al. (2019) and in Smith et al. we stop",
        "See Fig. 3 and Eqs. 4 of Sec. 5.",
        "Figs. A and B by Dr. Who and Prof. X",
        "It gains 0.5 points over .3 at p < 0.05",
        "Written by J. R. Smith in the U.S. Senate",
        "Task No. 5 on p. 7 of vol. 3",
        "Built with Node.js and v1.2.3 of it",
        "It was long ... and dull",
        "apples, pears, etc. were compared",
        "1. First of all",
    ],
)
def test_a_mark_inside_a_sentence_does_not_end_it(text):
    assert split_sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("By Smith et al. We differ.", ["By Smith et al.", "We differ."]),
        ("Apples, etc. We ate.", ["Apples, etc.", "We ate."]),
        ("The answer is no. We stop.", ["The answer is no.", "We stop."]),
    ],
)
def test_some_abbreviations_end_a_sentence_before_a_capital(text, sentences):
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "an experimental study of a wing . the results agree well .",
            ["an experimental study of a wing .", "the results agree well ."],
        ),
        ("the wing was tested. it failed.", ["the wing was tested.", "it failed."]),
        ("does it lift ? it does ! we stop", ["does it lift ?", "it does !", "we stop"]),
        ("a drag of 0.5 at mach 2.5 . it falls", ["a drag of 0.5 at mach 2.5 .", "it falls"]),
        ("it was seen in 1950 . then 3 more", ["it was seen in 1950 .", "then 3 more"]),
        ("(a wing .) the rest (in fig . 3) .", ["(a wing .)", "the rest (in fig . 3) ."]),
        ("at mach number m . the flow", ["at mach number m .", "the flow"]),
        ("мы летим . они ждут .", ["мы летим .", "они ждут ."]),
        ("the wing of nasa. 12 tests. more", ["the wing of nasa.", "12 tests.", "more"]),
        ("3 models are tested . they differ", ["3 models are tested .", "they differ"]),
        ("we use BERT . it is large .", ["we use BERT .", "it is large ."]),
        ("the answer is no . we stop .", ["the answer is no .", "we stop ."]),
        ("one .\n  two words .", ["one .", "two words ."]),
    ],
)
def test_lower_case_text_splits_before_a_lower_case_letter(text, sentences):
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    "text",
    [
        "as in smith et al . the method of jones et al. is used",
        "methods, e.g. bert, i.e. encoders, cf. smith vs. jones",
        "methods, e.g . bert, or fig . 3 of sec . 5 , approx . half",
        "methods, e . g . bert and i . e . encoders",
        "apples, pears, etc . were compared",
        "it was long ... and dull",
        "it was long . . . and dull",
        "it was long … and dull",
        "written by j. r. smith in the u.s. senate",
        "it gains 0.5 points over .3 with node.js",
        "task no. 5 on p . 7 of vol . 3",
        "a wing",
    ],
)
def test_an_abbreviation_does_not_end_a_lower_case_sentence(text):
    assert split_sentences(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "We use a conv. net of approx. size",
        "It was tested . the results agree",
    ],
)
def test_a_text_that_begins_with_a_capital_needs_one_after_a_mark(text):
    assert split_sentences(text) == [text]


def test_a_capital_after_a_mark_anywhere_keeps_the_rule_for_cased_text():
    text = "iPhones are sold. they break. Then they are sold again."
    assert split_sentences(text) == [
        "iPhones are sold. they break.",
        "Then they are sold again.",
    ]


@pytest.mark.parametrize("text", ["", " \n\t", "\u2003"])
def test_no_text_has_no_sentences(text):
    assert split_sentences(text) == []


@given(st.text(alphabet=st.sampled_from('ab AB.!?…e.g. \n("”)。1'), max_size=60) | st.text())
def test_sentences_are_never_empty_and_lose_nothing(text):
    sentences = split_sentences(text)

    assert all(sentence == sentence.strip() != "" for sentence in sentences)
    assert "".join("".join(sentences).split()) == "".join(text.split())


@given(st.text(alphabet="ab AB.!?。", max_size=60))
def test_splitting_what_was_split_changes_nothing(text):
    for sentence in split_sentences(text):
        assert " ".join(split_sentences(sentence)) == sentence
