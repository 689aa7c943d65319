"""Bundlegate's public face: the command, the client, and what people import."""

__version__ = "0.1.0"
