"""Requests and answers: middleware, refusals, downloads, htmx. It knows no collection."""
