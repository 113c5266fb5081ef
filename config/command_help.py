"""The text of `manage.py help`: our commands by the stages of the navigation, then the others."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import fill

from django.conf import settings
from django.core.management import BaseCommand, get_commands, load_command_class

from accounts.commands import ProjectCommand
from dashboard.navigation.stages import STAGES

WIDTH = 100


def help_text(program: str) -> str:
    ours = own_commands()
    width = max(map(len, ours))
    lines = [
        f"Type '{program} help COMMAND' for the arguments of a command.",
        "The first argument is the short name of a collection, where there is one.",
        "Every command that writes takes --dry-run: it checks everything, and changes nothing.",
    ]
    for stage in STAGES:
        members = {name: each for name, each in ours.items() if each.stage == stage.caption}
        if members:
            lines += ["", stage.caption]
            lines += [f"  {name:<{width}}  {summary_of(each)}" for name, each in members.items()]
    others = ", ".join(sorted(get_commands().keys() - ours.keys()))
    lines += ["", "Django and its packages"]
    lines.append(fill(others, WIDTH, initial_indent="  ", subsequent_indent="  "))
    return "\n".join(lines)


def own_commands() -> dict[str, ProjectCommand]:
    """The commands of the rooms by name, in alphabetical order."""
    apps = {name: app for name, app in sorted(get_commands().items()) if isinstance(app, str)}
    return {
        name: command
        for name, app in apps.items()
        if Path(settings.BASE_DIR, app).is_dir()
        and isinstance(command := load_command_class(app, name), ProjectCommand)
    }


def summary_of(command: BaseCommand) -> str:
    """The first sentence of its help, up to a colon."""
    return f"{re.split(r'[.:] ', command.help)[0].rstrip('.')}."
