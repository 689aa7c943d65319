"""Comparing two stored bundles: a process of its own for each request, and a bound on its time."""

from io import BytesIO

from bundles.archive import read_archive
from bundles.compat.bundle_diff import compare
from bundles.compat.change import Diff
from bundles.contract import Contract
from service.admission.model import Principal
from service.admission.registry import Registry
from service.containment import Comparisons

CPU_S = 1.0
"""Processor time for one pair of schemas: someone waits for the answer."""

ALL_S = 10.0
"""Seconds for all pairs of one request."""


def bundle_diff(principal: Principal, registry: Registry, old: str, new: str) -> Diff:
    """What changed between two bundles of the principal's namespace. Blocking.

    Raises:
        NotFound: BUNDLE_UNKNOWN.
    """
    before, after = (
        Contract.read(read_archive(BytesIO(registry.bundle_archive(principal, digest))))
        for digest in (old, new)
    )
    with Comparisons(CPU_S, all_s=ALL_S) as comparisons:
        return compare(before, after, comparisons.compare)
