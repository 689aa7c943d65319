"""Reports of other tools, read as outcomes of this one. Pure; what they say proves nothing here."""

from bundles.imports.model import Imported, ImportedOutcome, Source
from bundles.imports.reading import read_report

__all__ = ["Imported", "ImportedOutcome", "Source", "read_report"]
