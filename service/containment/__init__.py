"""Comparing schemas in a process that can be ended."""

from service.containment.client import Comparisons, Pair

__all__ = ["Comparisons", "Pair"]
