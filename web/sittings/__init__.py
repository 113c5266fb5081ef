"""Shared by all pages on which a person answers one thing after the other (ADR 48)."""
