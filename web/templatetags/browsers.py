"""`{{ agent|browser }}`: "Firefox, Linux" for what a browser sends of itself."""

from __future__ import annotations

from django.template import Library

register = Library()
# The first that is found counts: most browsers also name those that they resemble.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "Chrom": "Chrome",
    "CriOS": "Chrome",
    "Safari": "Safari",
}
SYSTEMS = {
    "Windows": "Windows",
    "Android": "Android",
    "iPhone": "iOS",
    "iPad": "iPadOS",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


@register.filter
def browser(agent: str) -> str:
    """The browser and the system; the text itself if the browser is unknown."""
    names = [
        next((name for mark, name in names.items() if mark in agent), "")
        for names in (BROWSERS, SYSTEMS)
    ]
    return ", ".join(filter(None, names)) if names[0] else agent
