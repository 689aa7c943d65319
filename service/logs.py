"""Structured logs, redacted."""
