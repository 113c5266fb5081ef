"""The last step of `manage.py demo`: start the web server and the worker, restart what dies, end both together.

It replaces the command's process and does not import Django: the command kept 200 MB after loading the demo, this
has 15.
"""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

HOST = "127.0.0.1"
START_SECONDS = 60
RESTARTS = 5  # after that, another restart would not help
QUIET = ["--without-gossip", "--without-mingle", "--without-heartbeat"]


def run(port: int, data_dir: Path, welcome: str) -> int:
    logs = data_dir / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    gunicorn = [
        "gunicorn",
        "config.wsgi",
        "--bind",
        f"{HOST}:{port}",
        "--workers",
        "2",
        "--threads",
        "4",
        "--graceful-timeout",
        "2",
    ]
    celery = ["celery", "-A", "config", "worker", "--pool", "solo", "--loglevel", "INFO", *QUIET]
    commands = {"web": [sys.executable, "-m", *gunicorn], "worker": [sys.executable, "-m", *celery]}

    def start(name: str) -> subprocess.Popen[bytes]:
        with (logs / f"{name}.log").open("ab") as log:
            return subprocess.Popen(commands[name], stdout=log, stderr=log, start_new_session=True)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    processes = {name: start(name) for name in commands}
    deaths = 0
    try:
        if not web_answers(port):
            print(f"The web server did not start. Its log is {logs / 'web.log'}", file=sys.stderr)
            return 1
        print(welcome, flush=True)
        while deaths <= RESTARTS:
            time.sleep(1)
            for name, process in processes.items():
                if process.poll() is not None:
                    deaths += 1
                    print(f"The {name} process ended and is started again. Its log: {logs / f'{name}.log'}", flush=True)
                    processes[name] = start(name)
        return 1
    except (KeyboardInterrupt, SystemExit):
        print("\nStopped. `make demo` continues where you left off.")
        return 0
    finally:
        for process in processes.values():
            process.terminate()
        for process in processes.values():
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def web_answers(port: int) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        link = http.client.HTTPConnection(HOST, port, timeout=5)
        try:
            link.request("GET", "/accounts/login/")
            return link.getresponse().status < 500
        except OSError:
            time.sleep(0.1)
        finally:
            link.close()
    return False


if __name__ == "__main__":
    # The welcome has passwords, so it comes by the environment and not on the command line.
    sys.exit(run(int(sys.argv[1]), Path(sys.argv[2]), os.environ.pop("DEMO_WELCOME")))
