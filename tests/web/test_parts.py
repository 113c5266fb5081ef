"""The parts of pages that are tags."""

from __future__ import annotations

import pytest
from django.template import Context, Engine

from web.templatetags.browsers import browser

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


@pytest.mark.parametrize(
    ("agent", "shown"),
    [
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
            "Edge, Windows",
        ),
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Firefox, Linux",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, "
            "like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
            "Safari, iOS",
        ),
        ("curl/8.1", "curl/8.1"),
        ("", ""),
    ],
)
def test_a_browser_is_named_by_what_it_sends_of_itself(agent, shown):
    assert browser(agent) == shown
