"""The parts of pages that are tags."""

from __future__ import annotations

from django.template import Context, Engine

ENGINE = Engine(libraries={"parts": "web.templatetags.parts"})


def rendered(template: str, **context: object) -> str:
    return ENGINE.from_string(f"{{% load parts %}}{template}").render(Context(context))


def test_the_heads_of_a_table_are_of_texts_of_numbers_or_hidden():
    assert rendered('{% heads "Run" "#Pairs" "(Change)" %}').split("\n") == [
        '<th scope="col">Run</th>',
        '<th scope="col" class="number">Pairs</th>',
        '<th scope="col"><span class="visually-hidden">Change</span></th>',
    ]


def test_a_head_is_escaped():
    assert rendered("{% heads name %}", name="<b>") == '<th scope="col">&lt;b&gt;</th>'


def test_the_head_of_a_table_is_one_row():
    head = rendered('{% table_head "Run" "#Pairs" %}')

    assert head.startswith("<thead>\n<tr>\n<th")
    assert head.endswith("</th>\n</tr>\n</thead>")


def test_the_head_of_a_page_has_its_title_and_its_purpose():
    head = rendered('{% page_head "Runs" %}<p>Ranked lists.</p>{% endpage_head %}')

    assert head.split("\n")[2:4] == ["<h1>Runs</h1>", "<p>Ranked lists.</p>"]


def test_words_between_backticks_are_code_and_all_is_escaped():
    assert rendered("{{ text|code_spans }}", text="Questions of `a.md` < 9.") == (
        "Questions of <code>a.md</code> &lt; 9."
    )
