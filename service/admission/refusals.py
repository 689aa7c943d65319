"""Reason codes the use cases refuse with, and the refusal that carries a decision."""

from bundles.errors import Forbidden
from bundles.reasons import reason
from service.admission.model import Decision

TOKEN_INVALID = reason(
    "TOKEN_INVALID", "the bearer token is unknown or revoked", "ask for a token that is in force"
)
TOKEN_EXPIRED = reason(
    "TOKEN_EXPIRED", "the bearer token is past its expiry", "ask for a new token"
)
SCOPE_MISSING = reason(
    "SCOPE_MISSING", "the token does not carry the scope this needs", "use a token with that scope"
)
SCOPE_UNKNOWN = reason(
    "SCOPE_UNKNOWN", "no such scope exists", "name scopes from the list in `expected`"
)
NAME_INVALID = reason(
    "NAME_INVALID",
    "a name is empty, too long, or has characters a name may not have",
    "use 1 to 128 characters: letters, digits, and . _ : / @ -",
)
TOKEN_LIFETIME_INVALID = reason(
    "TOKEN_LIFETIME_INVALID",
    "a token's lifetime is not a positive number of seconds",
    "give a lifetime above zero, or none for a token that does not expire",
)
NAMESPACE_UNKNOWN = reason(
    "NAMESPACE_UNKNOWN", "no such namespace is visible here", "name the token's own namespace"
)
TOKEN_UNKNOWN = reason(
    "TOKEN_UNKNOWN", "no such token in this namespace", "list the tokens to find its id"
)
BUNDLE_UNKNOWN = reason(
    "BUNDLE_UNKNOWN", "no bundle of this digest in this namespace", "push the bundle first"
)
BUNDLE_FILE_UNKNOWN = reason(
    "BUNDLE_FILE_UNKNOWN", "the bundle has no file at this path", "read the bundle's file list"
)
CONTRACT_VERSION_TAKEN = reason(
    "CONTRACT_VERSION_TAKEN",
    "this contract id and version were submitted before with other content",
    "raise contract_version, or submit the content that was pinned under it",
)
CANDIDATE_UNKNOWN = reason(
    "CANDIDATE_UNKNOWN", "no such candidate in this namespace", "list candidates to find its id"
)
CANDIDATE_VERSION_TAKEN = reason(
    "CANDIDATE_VERSION_TAKEN",
    "this bundle has a candidate of this version with other content",
    "register the build under a version of its own",
)
CANDIDATE_CLOSED = reason(
    "CANDIDATE_CLOSED",
    "the candidate is in a state that verification cannot move",
    "reopen it with a reason, or register a new candidate",
)
ARTIFACT_NOT_PINNED = reason(
    "ARTIFACT_NOT_PINNED",
    "the bundle pins the artifacts it is for, and this digest is not one of them",
    "register the pinned build, or submit a contract version that pins this one",
)
VERSION_INVALID = reason(
    "VERSION_INVALID",
    "a candidate version is empty, too long or not printable",
    "use 1 to 128 printable characters",
)
TARGET_INVALID = reason(
    "TARGET_INVALID",
    "a target is not one a worker could reach",
    "give each target a name of its own, a kind, and that kind's url or launcher",
)
PROFILE_NOT_OBSERVED = reason(
    "PROFILE_NOT_OBSERVED",
    "the bundle names a profile under which no target observes the candidate",
    "register the candidate with a target for every profile the bundle names",
)
TARGET_CONTRADICTS_BUNDLE = reason(
    "TARGET_CONTRADICTS_BUNDLE",
    "a target speaks another revision or transport than the bundle is about",
    "name the revision and transport of the bundle, or submit a bundle about the others",
)
POLICY_UNKNOWN = reason(
    "POLICY_UNKNOWN", "no policy of this name", "list the policies, or put this one first"
)
RUN_UNKNOWN = reason("RUN_UNKNOWN", "no such run in this namespace", "list the candidate's runs")
RUN_FINISHED = reason(
    "RUN_FINISHED", "the run is over and cannot be cancelled", "start another run if one is needed"
)
STAGE_UNKNOWN = reason(
    "STAGE_UNKNOWN", "no run has a stage of this name", "name stages from the list in `expected`"
)
PROFILE_WITHOUT_TARGET = reason(
    "PROFILE_WITHOUT_TARGET",
    "the candidate has no target for this profile",
    "name a profile one of its targets is observed under",
)
IDEMPOTENCY_KEY_REUSED = reason(
    "IDEMPOTENCY_KEY_REUSED",
    "this Idempotency-Key was used for another request",
    "use a new key for a new request",
)
IDEMPOTENCY_KEY_INVALID = reason(
    "IDEMPOTENCY_KEY_INVALID",
    "an Idempotency-Key is empty, too long or not printable ASCII",
    "use 1 to 255 printable ASCII characters",
)
STATE_UNKNOWN = reason(
    "STATE_UNKNOWN", "no such registry state", "name a state from the list in `expected`"
)
STATE_MISMATCH = reason(
    "STATE_MISMATCH",
    "the candidate is not in the state the caller expected",
    "read the candidate again and decide from its actual state",
)
REASON_MISSING = reason(
    "REASON_MISSING", "a transition needs a reason in words", "say why, in 1 to 2,000 characters"
)
GATE_REFUSED = reason(
    "GATE_REFUSED", "the gate's answer is no", "read the decision's reasons and next steps"
)
GATE_UNDECIDED = reason(
    "GATE_UNDECIDED",
    "the gate cannot tell yet, and nothing moves for want of evidence",
    "read the decision's next steps and ask again",
)
TRANSCRIPT_UNKNOWN = reason(
    "TRANSCRIPT_UNKNOWN", "no such transcript in this run", "list the run's transcripts"
)
DECISION_UNKNOWN = reason(
    "DECISION_UNKNOWN", "no such decision in this namespace", "ask the gate for one"
)
EVIDENCE_UNKNOWN = reason(
    "EVIDENCE_UNKNOWN", "no such evidence in this namespace", "list the candidate's evidence"
)
CURSOR_INVALID = reason(
    "CURSOR_INVALID",
    "the cursor is not one this list gave out",
    "start again without a cursor",
)
LIMIT_INVALID = reason(
    "LIMIT_INVALID", "a page size outside 1 to 200 was asked for", "ask for 1 to 200 items"
)
FILTER_INVALID = reason(
    "FILTER_INVALID",
    "a filter of a list holds text that nothing stored can hold",
    "give the filter what `expected` describes, or leave it out",
)
LEASE_LOST = reason(
    "LEASE_LOST",
    "the worker's lease is over: the run is another worker's, or finished",
    "stop; whoever holds the run records it",
)
STAGE_NOT_CONCLUDED = reason(
    "STAGE_NOT_CONCLUDED",
    "the worker gave no conclusion for a stage the run was to cover",
    "start another run",
)
POLICY_ALTERED = reason(
    "POLICY_ALTERED",
    "a policy document in the database is not the one its digest names, so it decides nothing",
    "find out who wrote to the database, and put the policy again",
)
CANDIDATE_UNREACHABLE = reason(
    "CANDIDATE_UNREACHABLE",
    "the candidate gave no answer at all to a run, so nothing can be said about it",
    "start the candidate where its target says, see that the worker may reach it, and run again",
)
ATTEMPT_LOST = reason(
    "ATTEMPT_LOST",
    "the worker of an attempt stopped answering, and the run waits for another",
    "wait: another worker takes the run up; look at the worker's log if it happens again",
)
ATTEMPTS_EXHAUSTED = reason(
    "ATTEMPTS_EXHAUSTED",
    "every attempt at the run ended before it could conclude",
    "look at the worker's log, then start another run",
)
RUN_CANCELLED = reason(
    "RUN_CANCELLED", "the run was cancelled before it concluded", "start another run"
)


class GateRefused(Forbidden):
    """The gate did not say yes (HTTP 403); `decision` says why and what to do."""

    def __init__(self, reason_code: str, detail: str, decision: Decision) -> None:
        super().__init__(
            reason_code,
            detail,
            seen={"verdict": decision.verdict, "decision_id": decision.id},
            expected={"verdict": "PASS"},
            next_steps=decision.next_steps,
        )
        self.decision = decision
