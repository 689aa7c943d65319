"""Reports: one input model and pure, byte-stable renderers."""

from bundles.report.model import Report

__all__ = ["Report"]
