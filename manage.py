#!/usr/bin/env python
import gc
import os
import sys


def main() -> None:
    # An eighth of the start of a command went into looking for garbage among what was just loaded.
    gc.set_threshold(100_000, 50, 100)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from config.command_line import CommandLine

    CommandLine(sys.argv).execute()


if __name__ == "__main__":
    main()
