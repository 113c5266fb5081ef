"""How texts become words: stemming, stop words, languages and scripts."""

import pytest

from retrieval.retrievers import (
    ANALYSES,
    Faceted,
    IndexedText,
    NoSuchRetriever,
    NothingToIndex,
    QueryText,
    analysis_choices,
    index_key,
    retriever,
    with_analysis,
)
from retrieval.retrievers.analysis import LANGUAGES, analysis_named

KINDS = ("bm25_abstract", "tfidf_abstract")


def ranked(name, abstracts, query, folder):
    kind = retriever(name)
    documents = [IndexedText(docno, "", text) for docno, text in abstracts.items()]
    kind.build(documents, folder / "index", lambda done: None)
    ranker = kind.open(folder / "index")
    ((_, ranking),) = ranker.rank([QueryText("query", "", query)], 10, lambda done: None)
    return [scored.docno for scored in ranking]


def words(name, text):
    return analysis_named(name).words(text)


def test_plain_words_are_the_words_of_every_earlier_version():
    assert words("plain", "The models' use, of ﬁve Models") == [
        *("the", "models", "use", "of", "ﬁve", "models")
    ]


def test_english_is_stemmed_and_loses_stop_words():
    assert words("english", "The models of modelling") == ["model", "model"]
    assert words("english_stem", "The models of modelling") == ["the", "model", "of", "model"]
    assert words("english_stop", "The models of modelling") == ["models", "modelling"]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("german", "Die Häuser brannten", "das Haus brannte"),
        ("russian", "старые книги", "о старой книге"),
        ("french", "les nouvelles maisons", "une nouvelle maison"),
        ("spanish", "los caballos negros", "el caballo negro"),
        ("turkish", "kitaplar", "kitap"),
        ("greek", "μεγάλοι δρόμοι", "μεγάλος δρόμος"),
    ],
)
def test_forms_of_a_word_are_one_word_in_its_language(language, one, other):
    assert set(words(language, one)) & set(words(language, other))
    assert not set(words("plain", one)) & set(words("plain", other))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_of_the_list_exists_in_the_library(language):
    assert words(language, "Alpha 12")
    assert (f"{language}_stop" in ANALYSES) == LANGUAGES[language]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("日本語の検索", "ja"),
        ("中文信息检索", "zh"),
        ("한국어 검색은", "ko"),
        ("การค้นหาข้อมูล", "th"),
        ("ＢＭ２５ ranking", "en"),
    ],
)
def test_scripts_without_spaces_are_searched_by_their_characters(name, query, first, tmp_path):
    abstracts = {
        "ja": "この論文では日本語文書の検索手法を提案する。",
        "zh": "本文研究中文文本的信息检索方法。",
        "ko": "이 논문은 한국어 문서의 검색을 다룬다.",
        "th": "บทความนี้ศึกษาการค้นหาเอกสารภาษาไทย",
        "en": "A ranking of documents by BM25.",
    }
    assert ranked(f"{name}.characters", abstracts, query, tmp_path)[0] == first
    assert words("characters", "検索 BM25") == ["検", "索", "検索", "bm25"]


@pytest.mark.parametrize("name", KINDS)
def test_a_stemmed_index_finds_other_forms_of_a_word(name, tmp_path):
    abstracts = {"d1": "Modelling of turbulent flows.", "d2": "A history of libraries."}
    assert ranked(f"{name}.english", abstracts, "a model of turbulence", tmp_path) == ["d1"]


@pytest.mark.parametrize("name", KINDS)
def test_the_german_query_finds_the_german_document(name, tmp_path):
    abstracts = {"d1": "Untersuchungen zu alten Handschriften.", "d2": "Neue Brücken aus Stahl."}
    assert ranked(f"{name}.german", abstracts, "Untersuchung der Handschrift", tmp_path) == ["d1"]


@pytest.mark.parametrize("name", KINDS)
def test_composed_and_decomposed_letters_are_the_same_word(name, tmp_path):
    abstracts = {"d1": "bru\u0308cke stahl", "d2": "anderes"}
    assert ranked(f"{name}.german", abstracts, "br\u00fccke", tmp_path) == ["d1"]


@pytest.mark.parametrize("name", KINDS)
def test_texts_of_stop_words_have_nothing_to_index(name, tmp_path):
    with pytest.raises(NothingToIndex):
        ranked(f"{name}.english", {"d1": "the of and"}, "of", tmp_path)


@pytest.mark.parametrize("name", KINDS)
def test_a_query_of_stop_words_finds_nothing(name, tmp_path):
    assert ranked(f"{name}.english", {"d1": "the house"}, "of the", tmp_path) == []


def test_two_analyses_never_share_an_index():
    names = [with_analysis(name, analysis) for name in KINDS for analysis in ANALYSES]
    assert len({index_key("corpus", retriever(name)) for name in names}) == len(names)


def test_the_parameters_of_plain_words_are_those_of_earlier_runs():
    assert "analysis" not in retriever("bm25_text").parameters
    assert retriever("bm25_text").parameters["tokens"] == "letters and digits, lower case"
    assert retriever("tfidf_title").version.startswith("2, scikit-learn ")
    assert "tantivy" not in retriever("tfidf_title").version


def test_the_parameters_of_a_run_name_its_analysis():
    parameters = retriever("tfidf_abstract.german_stem").parameters
    assert parameters["analysis"] == "german_stem"
    assert (parameters["stemming"], parameters["stop_words"]) == ("german", False)


@pytest.mark.parametrize("name", ["bm25_text", "tfidf_title", "bm25_abstract"])
@pytest.mark.parametrize("analysis", ["english", "russian_stop", "characters"])
def test_a_retriever_with_an_analysis_has_the_name_it_is_found_by(name, analysis):
    full_name = with_analysis(name, analysis)
    assert full_name == f"{name}.{analysis}"
    assert retriever(full_name).name == full_name


def test_an_analysis_and_a_facet_go_together():
    faceted = retriever("bm25_abstract.english@method")
    assert isinstance(faceted, Faceted)
    assert faceted.base == retriever("bm25_abstract.english")
    assert with_analysis("bm25_abstract@method", "english") == faceted.name


@pytest.mark.parametrize("name", ["graph", "random", "cbow_title", "encoder:m"])
def test_other_retrievers_keep_their_names(name):
    assert with_analysis(name, "english") == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bm25_text.klingon", "Unknown analysis 'klingon'; use plain, arabic, danish"),
        ("cbow_title.english", "cbow_title has no analysis; write cbow_title without .english"),
        ("bm25_text.plain", "the analysis plain is called bm25_text"),
        ("bm25_title.english@method", "use an abstract's retriever, such as "
         "bm25_abstract.english@method"),
    ],
)  # fmt: skip
def test_a_wrong_analysis_says_what_to_write(name, message):
    with pytest.raises(NoSuchRetriever, match=message):
        retriever(name)


def test_every_analysis_has_a_title_of_its_own():
    choices = dict(analysis_choices())
    assert choices.keys() == ANALYSES.keys()
    assert len(set(choices.values())) == len(choices)
    assert choices["english"] == "English: stemming and stop words"
