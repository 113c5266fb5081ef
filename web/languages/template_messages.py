"""The messages of a template, and the template in another language. Pure.

A template is written in English with Django's tags: `{% translate "Save" %}`, `_("Save")` and
`{% blocktranslate %}`. The translated text takes their place before the template is compiled, once
for each language. A page in English thus has the nodes that it had without them, and no page looks
up a message while it is rendered. Only `{% blocktranslate count %}` stays for Django, because the
form of a plural depends on a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

Translate = Callable[[str, str], str]  # (context, message) to text; the context is "" mostly

_TOKEN = re.compile(r"({%.*?%}|{{.*?}}|{#.*?#})")
_TRANSLATE = re.compile(r"""{%\s*translate\s+("[^"]*")(?:\s+context\s+"([^"]*)")?\s*%}""")
_IN_TAG = re.compile(r"""_\("([^"]*)"\)""")
_BLOCK = re.compile(r"{%\s*blocktranslate\b(.*?)%}")
_PLURAL = re.compile(r"{%\s*plural\s*%}")
_END = re.compile(r"{%\s*endblocktranslate\s*%}")
_VARIABLE = re.compile(r"{{\s*(.+?)\s*}}")
_ASSIGNED = re.compile(r"""(\w+)=((?:"[^"]*"|[^\s"])+)""")
_CONTEXT = re.compile(r'\bcontext\s+"([^"]*)"')
_PLACE = re.compile(r"%\((\w+)\)s|%%")


class Message(NamedTuple):
    """A text of a template as a translator sees it, with places such as %(name)s."""

    context: str
    text: str
    plural: str
    line: int


class TemplateSyntax(ValueError):
    """A tag that this module cannot translate. The message names the line."""


def messages_of(source: str) -> list[Message]:
    """All messages of a template, in their order."""
    found: list[Message] = []

    def note(message: Message) -> str:
        found.append(message)
        return message.text

    _walk(source, note)
    return found


def in_language(source: str, translate: Translate) -> str:
    """The template with its texts in another language; messages with a plural stay."""
    return _walk(source, lambda message: translate(message.context, message.text))


def in_english(source: str) -> str:
    """The template without the tags of translation; messages with a plural stay."""
    return _walk(source, None)


def _walk(source: str, translate: Callable[[Message], str] | None) -> str:
    tokens = _TOKEN.split(source)
    parts: list[str] = []
    line = 1
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if block := _BLOCK.fullmatch(token):
            end = _end_of(tokens, at, line)
            parts.append(_block(tokens[at : end + 1], block[1], line, translate))
            line += "".join(tokens[at : end + 1]).count("\n")
            at = end + 1
            continue
        parts.append(_plain(token, line, translate))
        line += token.count("\n")
        at += 1
    return "".join(parts)


def _plain(token: str, line: int, translate: Callable[[Message], str] | None) -> str:
    if found := _TRANSLATE.fullmatch(token):
        text = found[1].strip('"')
        return translate(Message(found[2] or "", text, "", line)) if translate else text
    return _literals(token, line, translate) if token.startswith(("{%", "{{")) else token


def _literals(source: str, line: int, translate: Callable[[Message], str] | None) -> str:
    """The source with each `_("text")` in a tag as the text in quotes."""

    def literal(match: re.Match[str]) -> str:
        text = translate(Message("", match[1], "", line)) if translate else match[1]
        return f'"{text}"'

    return _IN_TAG.sub(literal, source)


def _end_of(tokens: list[str], start: int, line: int) -> int:
    for at in range(start, len(tokens)):
        if _END.fullmatch(tokens[at]):
            return at
    raise TemplateSyntax(f"line {line}: {{% blocktranslate %}} has no {{% endblocktranslate %}}.")


def _block(
    tokens: list[str], options: str, line: int, translate: Callable[[Message], str] | None
) -> str:
    content = tokens[1:-1]
    plural_at = next((i for i, token in enumerate(content) if _PLURAL.fullmatch(token)), None)
    is_trimmed = bool(re.search(r"\btrimmed\b", options))
    context = found[1] if (found := _CONTEXT.search(options)) else ""
    if plural_at is not None:
        if translate:
            one = _text_of(content[:plural_at], is_trimmed, line)
            many = _text_of(content[plural_at + 1 :], is_trimmed, line)
            translate(Message(context, one, many, line))
        return "".join(tokens)
    assigned = dict(_ASSIGNED.findall(options))
    text = _text_of(content, is_trimmed, line)
    if translate:
        text = translate(Message(context, text, "", line))
    shown = _PLACE.sub(lambda place: _place(place, assigned), text)
    return _literals(shown, line, translate)


def _place(place: re.Match[str], assigned: dict[str, str]) -> str:
    return "{{ " + assigned.get(place[1], place[1]) + " }}" if place[1] else "%"


def _text_of(tokens: list[str], is_trimmed: bool, line: int) -> str:
    text = "".join(_as_text(token, line) for token in tokens)
    if not is_trimmed:
        return text
    return " ".join(part for each in text.split("\n") if (part := each.strip()))


def _as_text(token: str, line: int) -> str:
    if token.startswith(("{%", "{#")):
        raise TemplateSyntax(f"line {line}: a text to translate contains {token}.")
    if found := _VARIABLE.fullmatch(token):
        return f"%({found[1]})s"
    return token.replace("%", "%%")
