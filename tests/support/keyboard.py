"""A person who uses a browser with the keyboard alone, and sees where the focus is."""

from __future__ import annotations

from typing import NamedTuple

from playwright.sync_api import Page

MOST = 80  # stops of a page
LOOK = """async () => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const style = getComputedStyle(element);
  const label = element.labels?.[0]?.textContent ?? element.textContent;
  const all = [...document.querySelectorAll("*")];
  const isInView = () => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight
      && box.right > 0 && box.left < innerWidth;
  };
  // The browser scrolls to the focus with a later frame.
  for (let frames = 0; frames < 30 && !isInView(); frames++) {
    await new Promise(requestAnimationFrame);
  }
  return {
    name: (element.getAttribute("aria-label") ?? label).trim().replace(/\\s+/g, " "),
    place: all.indexOf(element),
    is_marked: (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0)
      || style.boxShadow !== "none",
    is_in_view: isInView(),
  };
}"""


class Stop(NamedTuple):
    """An element that has the focus."""

    name: str
    place: int  # in the order of the document
    is_marked: bool
    is_in_view: bool


def look(page: Page) -> Stop | None:
    """The element with the focus; None if it is the page."""
    found = page.evaluate(LOOK)
    return found and Stop(**found)


def walk(page: Page) -> list[str]:
    """Press Tab from the start to the end of the page. The names of the stops.

    Each is seen and marked, the order is that of the document, and the end is reached.
    """
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    names: list[str] = []
    last = -1
    for _ in range(MOST):
        page.keyboard.press("Tab")
        stop = look(page)
        if stop is None or (names and stop.place < last and stop.name == names[0]):
            return names
        assert stop.is_marked, f"the focus on “{stop.name}” is not visible on {page.url}"
        assert stop.is_in_view, f"“{stop.name}” is out of view on {page.url}"
        assert stop.place > last, f"“{stop.name}” comes after a later one on {page.url}"
        names.append(stop.name)
        last = stop.place
    raise AssertionError(f"{page.url} has more than {MOST} stops, or a trap: {names[-5:]}")


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the element with this name, or one that begins with it, has the focus."""
    seen = []
    for _ in range(MOST):
        page.keyboard.press("Tab")
        stop = look(page)
        if stop is None:
            continue
        if stop.name.startswith(name):
            assert stop.is_marked, f"the focus on “{name}” is not visible on {page.url}"
            return
        seen.append(stop.name)
    raise AssertionError(f"no stop is called “{name}” on {page.url}: {seen}")


def type_into(page: Page, name: str, text: str) -> None:
    tab_to(page, name)
    page.keyboard.type(text)


def press(page: Page, name: str, key: str = "Enter") -> None:
    """Go to a link or a button and press it. It leads to another page."""
    tab_to(page, name)
    with page.expect_navigation():
        page.keyboard.press(key)
