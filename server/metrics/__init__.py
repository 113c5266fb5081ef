"""The text that monitoring reads at `/metrics`, in the format of Prometheus.

`requests` counts in each process, `stored` asks the database at most every few seconds, and
`page` puts both together. `prometheus_client` is imported only if `access` says that metrics are
on, because a small server does not install it.
"""
