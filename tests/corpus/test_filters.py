"""The rules of recipes: CSFCube's and MDCR's, and those of a person."""

import pytest

from corpus.formats.document_lines import DocumentRecord
from corpus.selection.filters import CSFCUBE, MDCR, Recipe, RecipeError, broken_rule, parse_years

GOOD = "four tokens are here"
ENGLISH = "We ask which of the two is the better way to do this, and for whom it was made. "
FULL = DocumentRecord(
    "d",
    "T",
    ("a" * 15, "b" * 14),  # 30 characters with the space between them
    year=2001,
    references=("1", "2", "3"),
    fields=("Computer Science", "Linguistics"),
    language="eng",
    has_full_text=True,
)


def words(count: int) -> str:
    return " ".join(["w"] * count)


def reason(record: DocumentRecord, **recipe) -> str | None:
    rule = broken_rule(record, Recipe.parsed(**recipe).rules)
    return rule.name if rule else None


@pytest.mark.parametrize(
    ("sentences", "rule"),
    [
        ([], "fewer than 3 sentences"),
        ([GOOD] * 2, "fewer than 3 sentences"),
        ([GOOD] * 3, None),
        ([GOOD] * 20, None),
        ([GOOD] * 21, "more than 20 sentences"),
        ([GOOD, GOOD, words(80)], None),
        ([GOOD, GOOD, words(81)], "a sentence of more than 80 tokens"),
        ([GOOD, GOOD, "w" * 1000], None),
        (["only three tokens"] * 3, "no sentence of 4 tokens or more"),
        (["only three tokens", "x", GOOD], None),
    ],
)
def test_each_rule_of_csfcube_begins_where_the_datasheet_says(sentences, rule):
    broken = broken_rule(DocumentRecord("d", "", tuple(sentences)), CSFCUBE)

    assert (broken.name if broken else None) == rule


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({}, None),
        ({"year": None}, "no year"),
        ({"title": " "}, "no title"),
        ({"sentences": ("a" * 29,)}, "an abstract of fewer than 30 characters"),
        ({"references": ("1", "2", "2")}, "fewer than 3 outgoing citations"),
    ],
)
def test_each_rule_of_mdcr_begins_where_the_paper_says(change, rule):
    broken = broken_rule(FULL._replace(**change), MDCR)

    assert (broken.name if broken else None) == rule


@pytest.mark.parametrize(
    ("recipe", "change", "rule"),
    [
        ({"fields_of_study": ["linguistics"]}, {}, None),
        (
            {"fields_of_study": ["Physics", "Art"]},
            {},
            "no field Physics or Art",
        ),
        ({"years": "2001-"}, {}, None),
        ({"years": "-2000"}, {}, "a year after 2000"),
        ({"years": "1995-2000"}, {}, "a year other than 1995–2000"),
        ({"years": "1995-2000"}, {"year": None}, "no year"),
        ({"languages": ["English"]}, {}, None),
        ({"languages": ["de", "fr"]}, {}, "a language other than de or fr"),
        ({"languages": ["en"]}, {"language": ""}, "a language that is unknown"),
        ({"languages": ["en"]}, {"language": "und", "sentences": (ENGLISH * 2,)}, None),
        (
            {"languages": ["en"]},
            {"language": "", "sentences": ("这是一篇关于检索的论文" * 4,)},
            "a language other than en",
        ),
        ({"has_text": True}, {}, None),
        ({"has_text": True}, {"sentences": ()}, "no abstract"),
        ({"has_full_text": True}, {"has_full_text": False}, "no full text"),
        ({"min_citations": 4}, {}, "fewer than 4 outgoing citations"),
        ({"min_characters": 31}, {}, "an abstract of fewer than 31 characters"),
        ({"min_sentences": 3}, {}, "fewer than 3 sentences"),
    ],
)
def test_each_rule_of_a_recipe_leaves_out_what_it_says(recipe, change, rule):
    assert reason(FULL._replace(**change), **recipe) == rule


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ({"named": "x"}, "Unknown filter 'x'. Use csfcube or mdcr."),
        ({"years": "soon"}, "'soon' names no years. Write them as 1995-2019"),
        ({"years": "1995 2019"}, "'1995 2019' names no years"),
        ({"years": "2019-1995"}, "'2019-1995' ends before it begins"),
        ({"languages": ["??"]}, "Unknown language '??'. Use a code"),
        (
            {"min_citations": -1},
            "The fewest outgoing citations must be from 0 to 1,000,000, got -1",
        ),
    ],
)
def test_a_recipe_that_cannot_be_read_says_how_to_write_it(recipe, message):
    with pytest.raises(RecipeError) as caught:
        Recipe.parsed(**recipe)

    assert str(caught.value).startswith(message)


def test_a_recipe_survives_its_way_through_json():
    recipe = Recipe.parsed(
        fields_of_study=["Art"], years="2001-2003", languages=["deu"], has_text=True,
        has_full_text=True, min_citations=1, min_characters=2, min_sentences=3, named="mdcr",
    )  # fmt: skip

    assert Recipe.from_json(recipe.as_json) == recipe
    assert [str(parse_years(text)) for text in ("2001", "-2001", "2001-")] == [
        "2001", "-2001", "2001-",
    ]  # fmt: skip


def test_without_rules_everything_stays():
    assert (broken_rule(FULL, Recipe().rules), Recipe().as_json) == (None, {})
