#!/usr/bin/env python
import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from config.command_line import CommandLine

    CommandLine(sys.argv).execute()


if __name__ == "__main__":
    main()
