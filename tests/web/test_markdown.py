"""Texts that people write in Markdown, as HTML on our pages."""

from __future__ import annotations

import re

import pytest

from web.markdown import written_html


def html(text: str) -> str:
    return written_html(text, first_heading=4, breaks=True)


@pytest.mark.parametrize(
    "written",
    [
        "<script>alert(1)</script>",
        '<img src="x" onerror="alert(1)">',
        "![seen](https://example.org/pixel.png)",
        "[a](javascript:alert(1))",
        "[a](data:text/html,x)",
        "<https://example.org/ onmouseover=alert(1)>",
        '[a](https://example.org/ "t" onmouseover=x)',
        "&lt;script&gt;",
    ],
)
def test_no_text_becomes_a_script_an_image_or_a_handler(written):
    shown = html(written)

    for part in ("<script", "<img", 'href="javascript', 'href="data'):
        assert part not in shown
    assert not re.search("<a [^>]*onmouseover", shown)


def test_the_text_has_paragraphs_lines_lists_tables_and_headings_of_the_page_s_levels():
    assert html("one\ntwo\n\nthree") == "<p>one<br>\ntwo</p>\n<p>three</p>\n"
    assert "<ul>\n<li>a</li>" in html("- a\n- b")
    assert "<em>e</em> and <strong>s</strong>" in html("*e* and **s**")
    assert "<h4>First</h4>" in html("## First")
    assert "<h4>First</h4>\n<h5>Deep</h5>" in html("# First\n\n##### Deep")
    assert "<h6>d</h6>\n<h4>a</h4>" in html("# a\n## b\n### c\n#### d\n# a")
    assert '<div class="table-wrap" tabindex="0"><table>' in html("| a |\n| --- |\n| b |")


def test_a_link_to_a_web_page_opens_in_a_new_tab_and_another_leads_nowhere():
    web = html("[here](https://example.org/?a=1&b=2)")

    assert '<a href="https://example.org/?a=1&amp;b=2" ' in web
    assert 'rel="nofollow noopener" target="_blank">here</a>' in web
    assert html("[here](/c/small/pools/)") == "<p><a>here</a></p>\n"
