#!/usr/bin/env python
import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    from web.errors import UserFacingError

    try:
        execute_from_command_line(sys.argv)
    except UserFacingError as error:  # such as an archived collection, which any command may meet
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()
