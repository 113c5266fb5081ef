"""The state of the server, for the people who run it and for their monitoring.

`probes` answers `/healthz`, `/readyz` and `/metrics`, `requests` numbers requests and writes a line
for each, `metrics/` counts, `checks/` are those of `manage.py doctor` and of the page *State of the
server*, and `error_reports` sends errors to a Sentry-compatible server. It may import every room
below the dashboard, and none of them imports it. Nothing here tells what people wrote or who they
are. Begin with `checks/registry.py`.
"""
