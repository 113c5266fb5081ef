"""Runs `manage.py` commands in forks of one process with Django loaded, which saves a second each.

Started as a program with the path of a socket, it answers the `manage.py` that `client` makes. A
command whose environment differs from the server's starts as usual, because its settings may, too.
"""

from __future__ import annotations

import array
import json
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
OF_SHELLS = ("PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE", "__PYVENV_LAUNCHER__")
CLIENT = """
import array, json, os, socket, sys

environment = {{name: value for name, value in os.environ.items() if name not in {of_shells!r}}}
if environment != {environment!r}:
    os.execv(sys.executable, [sys.executable, {manage!r}, *sys.argv[1:]])
link = socket.socket(socket.AF_UNIX)
link.connect({path!r})
files = array.array("i", [0, 1, 2])
link.sendmsg([b"f"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
link.sendall(json.dumps([os.getcwd(), sys.argv]).encode())
link.shutdown(socket.SHUT_WR)
sys.exit(int(link.recv(4) or b"1"))
"""


@contextmanager
def command_server(environment: Mapping[str, str], folder: Path) -> Iterator[str]:
    """Yields the text of a `manage.py` whose commands the server runs in this environment."""
    path = folder / "commands.socket"
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.command_server", str(path)],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        yield CLIENT.format(
            of_shells=OF_SHELLS,
            environment=dict(environment),
            manage=str(ROOT / "manage.py"),
            path=str(path),
        )
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def serve(path: str) -> None:
    import django

    django.setup()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that forks need no wait
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)  # noqa: T201
    while True:
        link, _ = listener.accept()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listener.close()
            link.sendall(str(run(link)).encode())
            os._exit(0)
        link.close()


def run(link: socket.socket) -> int:
    """Run the command of a client with the client's files and folder; returns its exit code."""
    from config.command_line import CommandLine

    size = array.array("i", [0, 1, 2])
    _, ancillary, _, _ = link.recvmsg(1, socket.CMSG_SPACE(len(size) * size.itemsize))
    files = array.array("i", ancillary[0][2])
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    folder, arguments = json.loads(b"".join(iter(lambda: link.recv(65536), b"")))
    os.chdir(folder)
    sys.argv = arguments
    try:
        CommandLine(arguments).execute()
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:  # noqa: BLE001 (as the interpreter does)
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


if __name__ == "__main__":
    serve(sys.argv[1])
