"""The command line of `manage.py`: an error that has a remedy is a sentence, not a traceback.

`--traceback` shows the traceback too, as with any command of Django.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any

from django.core.management import BaseCommand, CommandError, ManagementUtility
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from jobs.confinement.memory import limited_memory
from web.errors import UserFacingError
from web.program import command_text

MIGRATE = f"Run `{command_text('migrate')}`."
NO_TABLES = f"The database has no tables yet. {MIGRATE}"
NAMED = 8  # migrations in a sentence
# PostgreSQL's undefined table, column and function; SQLite has words only.
SQL_STATES = {"42P01", "42703", "42883"}
SQLITE_WORDS = ("no such table", "no such column", "has no column named")


class CommandLine(ManagementUtility):
    """Django's own, for every command of ours and of others."""

    def main_help_text(self, commands_only: bool = False) -> str:
        """Our commands by the stages of the navigation, then those of Django by name."""
        if commands_only:
            return super().main_help_text(commands_only)
        from config.command_help import help_text  # loads models, so not before Django is set up

        return help_text(self.prog_name)

    def fetch_command(self, subcommand: str) -> BaseCommand:
        command = super().fetch_command(subcommand)
        if subcommand != "migrate":  # The sentence about tables would send its reader in a circle.
            is_import = subcommand.startswith("import_")
            execute = limited_memory()(command.execute) if is_import else command.execute
            setattr(command, "execute", _explained(execute))  # noqa: B010 (mypy)
        return command


def _explained(execute: Callable[..., str | None]) -> Callable[..., str | None]:
    @wraps(execute)
    def run(*arguments: Any, **options: Any) -> str | None:
        try:
            return execute(*arguments, **options)
        except UserFacingError as error:  # such as an archived collection, for any command
            raise CommandError(str(error)) from error
        except Exception as error:
            # Some commands of Django raise another error for what the database says.
            sentence = missing_tables(connection) if _is_about_tables(error) else ""
            if not sentence:
                raise
            raise CommandError(sentence) from error

    return run


def missing_tables(database: Any) -> str:
    """Advice about migrations that the database lacks; empty if it lacks none."""
    database.close()  # The connection may be in the middle of a failed transaction.
    executor = MigrationExecutor(database)
    if not executor.loader.applied_migrations:
        return NO_TABLES
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    names = [f"{migration.app_label}.{migration.name}" for migration, _ in plan]
    return lacking(names) if names else ""


def lacking(names: Sequence[str]) -> str:
    count = f"{len(names)} migrations" if len(names) > 1 else "a migration"
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    listed = ", ".join(names[:NAMED])
    return f"The database lacks {count}: {listed}{more}. {MIGRATE}"


def _is_about_tables(error: BaseException) -> bool:
    return any(
        getattr(cause, "sqlstate", None) in SQL_STATES
        or (isinstance(cause, DatabaseError) and any(word in str(cause) for word in SQLITE_WORDS))
        for cause in _causes(error)
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, and each one that it comes from."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
