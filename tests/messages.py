"""`make messages`: bring the catalogues of `locale/` up to date. `make lint` only checks them.

It reads the texts that templates, Python and scripts mark for translation, writes them into the
.po files, and makes of these what the program reads: the .mo files, and a module for the scripts of
each language. No program but Python is needed (ADR 81). It also names texts in the templates of
annotators and adjudicators that are not marked.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from web.languages.template_messages import in_language, messages_of

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "locale"
MODULES = ROOT / "static" / "js" / "languages"
PYTHON_KEYWORDS = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
}
SCRIPT_KEYWORDS = {"text": None, "plural": (1, 2)}
NO_ROOMS = {"tests", "bench", "docs", "var", ".venv"}
# Dates would change the files although no text changed.
DATED = datetime(2026, 11, 27, tzinfo=UTC)
HEADER = "# Texts of Qrelsmith. See docs/languages.md."
PLACES = re.compile(r"%\(\w+\)s|%%|{\w+}")
TAGS = re.compile(r"<[^>]*>")
WIDTH = 100  # of a line of a module, as oxfmt breaks it


# Pages of admins, curators and staff are in English.
ENGLISH_ROOMS = {
    *("agreement", "corpus", "curation", "demo", "evaluation", "jobs", "pooling", "retrieval"),
    "server",
}
ENGLISH_TEMPLATES = {
    *("adjudication/_share", "adjudication/blind_ratings", "adjudication/import_judgments"),
    *("accounts/find_person", "accounts/mail", "accounts/mails", "accounts/person_data"),
    *("accounts/record", "adjudication/referrals", "annotation/guideline"),
    "annotation/guidelines",
    *("annotation/_from_help_request", "annotation/help_request", "annotation/help_requests"),
    "annotation/deadlines",
    "annotation/consent_texts",
    *("practice/_agreement_cells", "practice/_agreement_heads", "practice/_text_changes"),
    *("practice/meeting", "practice/new_pilot", "practice/pilot", "practice/pilots"),
    *("practice/training_set", "practice/training_sets"),
    *("studies/new_study", "studies/studies", "studies/study"),
    *("web/_column_choice", "web/_command", "web/_figure", "web/_figure_files", "web/_file_drop"),
    *("web/_filters", "web/_import_buttons", "web/_import_help", "web/_no_match", "web/_pager"),
    *(
        "web/_sort",
        "web/_table_tools",
        "web/admin_page",
        "web/confirm",
        "web/import_page",
    ),
}
# Of rooms whose other pages are for admins.
TRANSLATED_OF_ROOMS = {
    "dashboard": {
        *("_my_collections", "_try_sample", "_waiting", "_way_on", "collection", "home"),
        "timesheet",
    },
    "release": {"_public_footer", "own_profile", "own_profiles"},
}
# Names, and marks that every language has.
SAME_IN_ALL = re.compile(r"Qrelsmith|API|Aa|Esc|Enter|Shift|Authorization: Token …")
SHOWN_ATTRIBUTES = {"title", "aria-label", "placeholder", "alt"}
PLURALS = re.compile(r"{%\s*blocktranslate\b.*?{%\s*endblocktranslate\s*%}", re.DOTALL)
COMMENTS = re.compile(r"{%\s*comment\b.*?{%\s*endcomment\s*%}|{#.*?#}", re.DOTALL)
TEMPLATE_TAG = re.compile(r"{%.*?%}|{{.*?}}")
# A text that a tag gets: `{% meter done total "Pairs judged" %}`.
TEXT_IN_TAG = re.compile(r'"([#(]?[A-Z][^"./]+)"')
# Blocks of classes and attributes; that of the work is within another one.
ATTRIBUTE_BLOCKS = [
    re.compile(rf"{{%\s*block (?:{names})\s*%}}.*?{{%\s*endblock\b.*?%}}", re.DOTALL)
    for names in ("work", "main_class|body_attributes")
]


class Found(NamedTuple):
    """A marked text, with its plural and context if it has any, and the file that has it."""

    text: str
    plural: str
    context: str
    path: str


def template_paths() -> list[Path]:
    """Those of pages and of mails."""
    kinds = ("*.html", "*.txt")
    return sorted(path for kind in kinds for path in (ROOT / "templates").rglob(kind))


def found_in_templates() -> Iterator[Found]:
    for path in template_paths():
        name = str(path.relative_to(ROOT))
        for message in messages_of(path.read_text()):
            yield Found(message.text, message.plural, message.context, name)


def python_paths() -> Iterator[Path]:
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).parts
        if parts[0] not in NO_ROOMS and "migrations" not in parts:
            yield path


def found_in_python() -> Iterator[Found]:
    for path in python_paths():
        if b"gettext" in (content := path.read_bytes()) or b"_(" in content:
            yield from _extracted(path, "python", PYTHON_KEYWORDS)


def found_in_scripts() -> Iterator[Found]:
    for path in sorted((ROOT / "static" / "js").glob("*.js")):
        if "./language.js" in path.read_text():
            yield from _extracted(path, "javascript", SCRIPT_KEYWORDS)


def _extracted(path: Path, method: str, keywords: dict) -> Iterator[Found]:
    for _, text, _, context in extract_from_file(method, path, keywords):
        one, *more = text if isinstance(text, tuple) else (text,)
        yield Found(one, more[0] if more else "", context or "", str(path.relative_to(ROOT)))


DOMAINS = {
    "django": lambda: [*found_in_templates(), *found_in_python()],
    "djangojs": lambda: list(found_in_scripts()),
}


def template_of(found: list[Found]) -> Catalog:
    """All messages of a domain without a translation, in the order of their texts."""
    catalog = Catalog(
        project="Qrelsmith",
        creation_date=DATED,
        revision_date=DATED,
        header_comment=HEADER,
        charset="utf-8",
    )
    for text, plural, context, path in sorted(set(found), key=lambda each: (each.path, each.text)):
        catalog.add(
            (text, plural) if plural else text, locations=[(path, 0)], context=context or None
        )
    return catalog


def languages() -> list[str]:
    return sorted(path.name for path in LOCALE.iterdir() if path.is_dir())


def po_path(language: str, domain: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / f"{domain}.po"


def updated(language: str, domain: str, template: Catalog) -> Catalog:
    """The catalogue of a language with exactly the messages of the template."""
    path = po_path(language, domain)
    catalog = Catalog(locale=language)
    if path.exists():
        with path.open("rb") as file:
            catalog = read_po(file, locale=language)
    catalog.update(template, no_fuzzy_matching=True, update_creation_date=False)
    catalog.obsolete.clear()
    catalog.project, catalog.version, catalog.header_comment = "Qrelsmith", "1", HEADER
    catalog.msgid_bugs_address, catalog.fuzzy = "Qrelsmith", False
    catalog.creation_date = catalog.revision_date = DATED
    catalog.last_translator = catalog.language_team = "Qrelsmith"
    return catalog


def po_bytes(catalog: Catalog) -> bytes:
    file = BytesIO()
    write_po(file, catalog, width=WIDTH, sort_output=True, include_lineno=False)
    return file.getvalue()


def mo_bytes(catalog: Catalog) -> bytes:
    file = BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def module_of(catalog: Catalog) -> str:
    """The ES module that gives a page's scripts their texts."""
    entries = [_entry(message) for message in catalog if message.id and message.string]
    plural = catalog.plural_expr.replace("!=", "!==").strip("()")
    return (
        f"// Made by `make messages` from locale/{catalog.locale}/LC_MESSAGES/djangojs.po.\n\n"
        'import { useCatalogue } from "../language.js";\n\n'
        f"useCatalogue(\n  {{\n{''.join(sorted(entries))}  }},\n  (n) => Number({plural}),\n);\n"
    )


def _entry(message: Message) -> str:
    text = message.id[0] if message.pluralizable else message.id
    key = text if text.isidentifier() and text.isascii() else _quoted(text)
    if not message.pluralizable:
        line = f"    {key}: {_quoted(message.string)},\n"
        if len(line) <= WIDTH + 1:
            return line
        return f"    {key}:\n      {_quoted(message.string)},\n"
    forms = list(map(_quoted, message.string))
    line = f"    {key}: [{', '.join(forms)}],\n"
    if len(line) <= WIDTH + 1:
        return line
    return f"    {key}: [\n{''.join(f'      {form},' + chr(10) for form in forms)}    ],\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def faults_of(catalog: Catalog, language: str) -> Iterator[str]:
    """What a reader would see of a missing or broken translation."""
    for message in catalog:
        if not message.id:
            continue
        sources = message.id if message.pluralizable else (message.id,)
        texts = message.string if message.pluralizable else (message.string,)
        name = f'{language}: "{sources[0]}"'
        if message.fuzzy:
            yield f"{name} is fuzzy. Check the translation, then remove the flag."
        elif not all(texts):
            yield f"{name} is not translated. Enter the text in the .po file."
        else:
            for text in texts:
                yield from _faults_of_text(name, sources, text)


def _faults_of_text(name: str, sources: tuple[str, ...], text: str) -> Iterator[str]:
    for pattern, what in ((PLACES, "places"), (TAGS, "tags")):
        wanted = [Counter(pattern.findall(source)) for source in sources]
        if Counter(pattern.findall(text)) not in wanted:
            yield f'{name}: the translation "{text}" has other {what} than the message.'
    plain = TAGS.sub("", PLACES.sub("", text))
    if re.search(r'["<>{}]', plain):
        yield f'{name}: the translation "{text}" has one of " < > {{ }}. Use “ ” for quotes.'
    for mark in "#(":
        if sources[0].startswith(mark) != text.startswith(mark):
            yield f'{name}: both the message and "{text}" begin with {mark}, or neither.'


def is_english(name: str) -> bool:
    room, _, page = name.partition("/")
    if room in TRANSLATED_OF_ROOMS:
        return page not in TRANSLATED_OF_ROOMS[room]
    return room in ENGLISH_ROOMS or name in ENGLISH_TEMPLATES


def unmarked() -> Iterator[str]:
    """The texts that annotators and adjudicators would read in English."""
    for path in template_paths():
        name = str(path.relative_to(ROOT / "templates").with_suffix(""))
        if is_english(name):
            continue
        for text in unmarked_in(path.read_text()):
            yield f'templates/{name}{path.suffix}: "{text}" is not marked with {{% translate %}}.'


def hidden() -> Iterator[str]:
    """The texts in f-strings, which Babel does not find."""
    for path in python_paths():
        for call in re.findall(r"""{n?gettext\(['"].*?\)}""", path.read_text()):
            yield f"{path.relative_to(ROOT)}: {call} is in an f-string. Put it before the f-string."


def unmarked_in(source: str) -> Iterator[str]:
    for part in (COMMENTS, *ATTRIBUTE_BLOCKS):
        source = part.sub("", source)
    rest = in_language(PLURALS.sub("", in_language(source, _nothing)), _nothing)
    for tag in TEMPLATE_TAG.findall(rest):
        yield from (text for text in TEXT_IN_TAG.findall(tag) if not SAME_IN_ALL.fullmatch(text))
    reader = _Texts()
    reader.feed(TEMPLATE_TAG.sub("", rest))
    for text in reader.texts:
        if re.search(r"[A-Za-z]{2}", SAME_IN_ALL.sub("", text)):
            yield " ".join(text.split())


def _nothing(context: str, message: str) -> str:
    return ""


class _Texts(HTMLParser):
    """The texts and the shown attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag
        self.texts += [value for name, value in attrs if name in SHOWN_ATTRIBUTES and value]

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside not in {"script", "style"}:
            self.texts.append(data)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if it would")
    arguments = parser.parse_args()
    problems = [*unmarked(), *hidden()]
    for domain, found in DOMAINS.items():
        template = template_of(found())
        for language in languages():
            catalog = updated(language, domain, template)
            problems += faults_of(catalog, language)
            files = {po_path(language, domain): po_bytes(catalog)}
            if domain == "django":
                files[po_path(language, domain).with_suffix(".mo")] = mo_bytes(catalog)
            else:
                files[MODULES / f"{language}.js"] = module_of(catalog).encode()
            for path, content in files.items():
                if path.exists() and path.read_bytes() == content:
                    continue
                if arguments.check:
                    problems.append(f"{path.relative_to(ROOT)} is out of date. Run make messages.")
                else:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
