"""Every aggregate over one connection."""

import sqlalchemy as sa

from service.store.bundles import BundleRows
from service.store.candidates import CandidateRows
from service.store.decisions import DecisionRows
from service.store.evidence import EvidenceStore
from service.store.journal import JournalRows
from service.store.policies import PolicyRows
from service.store.run_records import RunRecords
from service.store.tokens import TokenRows


class SqlUnit:
    """Implements `service.admission.storage.Unit`."""

    def __init__(self, connection: sa.Connection) -> None:
        self.tokens = TokenRows(connection)
        self.bundles = BundleRows(connection)
        self.candidates = CandidateRows(connection)
        self.runs = RunRecords(connection)
        self.evidence = EvidenceStore(connection)
        self.decisions = DecisionRows(connection)
        self.policies = PolicyRows(connection)
        self.journal = JournalRows(connection)
