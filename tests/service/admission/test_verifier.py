"""The strict verifier: nothing counts but a known statement, by a pinned key, whole."""

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.errors import Refused
from service.admission.dsse import TrustedKey, seal
from service.admission.evidence import (
    EXTENSION,
    TEST_RESULT,
    VERIFICATION_SUMMARY,
    decision_statement,
    statement_bytes,
    verification_statement,
)
from service.admission.verifier import verify
from tests.service.admission.statement_facts import (
    SIGNER,
    TRUSTED,
    decision,
    digest,
    verification,
)

STATEMENT = verification_statement(verification())
SEALED = seal(statement_bytes(STATEMENT), SIGNER)
WANTED = {"artifact": digest("a"), "snapshot": digest("d")}


def refusal(payload: bytes, subjects: dict[str, str] | None = None) -> Refused:
    with pytest.raises(Refused) as refused:
        verify(seal(payload, SIGNER), [TRUSTED], subjects)
    return refused.value


def changed(*path: str, to: Any) -> bytes:
    made = deepcopy(STATEMENT)
    inner = made
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = to
    return json.dumps(made).encode()


def test_evidence_and_decisions_verify_with_all_their_subjects() -> None:
    verified = verify(SEALED, [TRUSTED], WANTED)
    assert verified.statement == STATEMENT
    assert verified.predicate_type == TEST_RESULT
    assert verified.key_id == SIGNER.key_id
    assert verified.subjects == WANTED
    summary = seal(statement_bytes(decision_statement(decision())), SIGNER)
    assert verify(summary, [TRUSTED]).predicate_type == VERIFICATION_SUMMARY


def test_a_changed_byte_of_sealed_evidence_anywhere_is_refused() -> None:
    for place in range(len(SEALED)):
        spoilt = SEALED[:place] + bytes([SEALED[place] ^ 1]) + SEALED[place + 1 :]
        with pytest.raises(Refused):
            verify(spoilt, [TRUSTED], WANTED)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.binary(max_size=200)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=10),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["_type", "subject", "predicateType", "predicate", "name"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=10,
    ).map(lambda value: json.dumps(value).encode())
)
def test_whatever_a_trusted_key_signed_is_refused_unless_it_is_a_statement(
    payload: bytes,
) -> None:
    assert refusal(payload).reason_code == "STATEMENT_MALFORMED"


PLACES = [
    ("_type",),
    ("subject",),
    ("predicateType",),
    ("predicate",),
    ("predicate", EXTENSION),
    ("predicate", EXTENSION, "verifier"),
    ("predicate", EXTENSION, "verifier", "id"),
]
ODD = [None, 1, "", "x", [], {}, [None], [{}], [{"name": "artifact"}]]


@pytest.mark.parametrize("place", PLACES, ids="/".join)
@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_an_odd_value_in_any_place_that_counts_is_refused(place: tuple[str, ...], odd: Any) -> None:
    assert refusal(changed(*place, to=odd)).reason_code in {
        "STATEMENT_MALFORMED",
        "VERIFIER_MISMATCH",
    }


SUBJECTS = {
    "twice": [
        {"name": "artifact", "digest": {"sha256": "a" * 64}},
        {"name": "artifact", "digest": {"sha256": "b" * 64}},
    ],
    "upper case": [{"name": "artifact", "digest": {"sha256": "A" * 64}}],
    "too short": [{"name": "artifact", "digest": {"sha256": "a" * 63}}],
    "with a line break": [{"name": "artifact", "digest": {"sha256": "a" * 64 + "\n"}}],
    "another algorithm": [{"name": "artifact", "digest": {"sha1": "a" * 40}}],
    "no name": [{"name": "", "digest": {"sha256": "a" * 64}}],
}


@pytest.mark.parametrize("case", SUBJECTS)
def test_a_subject_is_one_name_with_one_sha256(case: str) -> None:
    assert refusal(changed("subject", to=SUBJECTS[case])).reason_code == "STATEMENT_MALFORMED"


def test_a_duplicate_key_in_the_payload_is_refused_not_resolved() -> None:
    payload = statement_bytes(STATEMENT)
    doubled = payload[:-1] + b',"predicateType":"' + TEST_RESULT.encode() + b'"}'
    assert refusal(doubled).reason_code == "STATEMENT_MALFORMED"


def test_a_required_subject_under_another_digest_is_refused_with_both() -> None:
    refused = refusal(statement_bytes(STATEMENT), {**WANTED, "artifact": digest("7")})
    assert refused.reason_code == "SUBJECT_MISSING"
    assert digest("a") in refused.detail
    assert digest("7") in refused.detail


def test_two_statements_with_one_right_subject_each_are_not_one_with_both() -> None:
    for half in ("artifact", "snapshot"):
        only = [s for s in STATEMENT["subject"] if s["name"] == half]
        refused = refusal(changed("subject", to=only), WANTED)
        assert refused.reason_code == "SUBJECT_MISSING"


def test_the_right_digest_under_another_name_does_not_count() -> None:
    refused = refusal(statement_bytes(STATEMENT), {"card": digest("a")})
    assert refused.reason_code == "SUBJECT_MISSING"


def test_a_key_speaks_only_for_the_verifier_it_is_pinned_to() -> None:
    other = TrustedKey(TRUSTED.key_id, TRUSTED.public_key, "https://someone.example/verifier")
    with pytest.raises(Refused) as refused:
        verify(SEALED, [other], WANTED)
    assert refused.value.reason_code == "VERIFIER_MISMATCH"
