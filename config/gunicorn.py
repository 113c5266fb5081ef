"""gunicorn --config python:config.gunicorn config.wsgi; WEB_CONCURRENCY is the number of processes."""

import os

from config.settings import LOGGING

bind = os.environ.get("BIND", "127.0.0.1:8000")
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
threads = 4
logconfig_dict = LOGGING
