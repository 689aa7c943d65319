"""Refusals to HTTP status, in one place."""
