"""Input schemas: every call that is made today must still be accepted."""

from collections.abc import Iterator

from bundles.compat.change import Compatibility as Verdict
from bundles.compat.rule import Said, Scope, rule
from bundles.compat.subjects import SchemaPair
from bundles.compat.verdict import CONTAINED, INPUT_NARROWED, UNDECIDED
from bundles.reasons import reason

INPUT_REQUIRED_ADDED = reason(
    "INPUT_REQUIRED_ADDED",
    "A member of the input became required; calls without it are refused.",
    "make it optional with a default, or offer the change under a new name",
)
INPUT_REQUIRED_REMOVED = reason(
    "INPUT_REQUIRED_REMOVED",
    "A member of the input is no longer required.",
    "nothing: calls with it are still accepted",
)
INPUT_MEMBER_ADDED = reason(
    "INPUT_MEMBER_ADDED",
    "The input declares another, optional member.",
    "nothing: calls without it are still accepted",
)
INPUT_MEMBER_REMOVED = reason(
    "INPUT_MEMBER_REMOVED",
    "The input no longer declares a member; calls with it are accepted and it may be ignored.",
    "keep the member until no consumer sends it",
)
INPUT_ENUM_REMOVED = reason(
    "INPUT_ENUM_REMOVED",
    "The input no longer accepts a value of an enum.",
    "accept the value until no consumer sends it",
)
INPUT_ENUM_ADDED = reason(
    "INPUT_ENUM_ADDED",
    "The input accepts another value of an enum.",
    "nothing: the values of before are still accepted",
)
INPUT_ADDITIONAL_FORBIDDEN = reason(
    "INPUT_ADDITIONAL_FORBIDDEN",
    "The input refuses members it does not declare, which it let pass before.",
    "let them pass, or check that no consumer sends members of its own",
)
INPUT_ADDITIONAL_ALLOWED = reason(
    "INPUT_ADDITIONAL_ALLOWED",
    "The input lets members pass that it does not declare.",
    "nothing: what was accepted still is",
)
INPUT_DEFAULT_ADDED = reason(
    "INPUT_DEFAULT_ADDED",
    "The input says what is taken where a member is not sent.",
    "nothing, if it is what was taken before",
)
INPUT_DEFAULT_REMOVED = reason(
    "INPUT_DEFAULT_REMOVED",
    "The input no longer says what is taken where a member is not sent.",
    "keep the default, or check the consumers that do not send the member",
)
INPUT_DEFAULT_CHANGED = reason(
    "INPUT_DEFAULT_CHANGED",
    "Another value is taken where a member of the input is not sent.",
    "keep the default, or check the consumers that do not send the member",
)
INPUT_SCHEMA_REMOVED = reason(
    "INPUT_SCHEMA_REMOVED",
    "The tool no longer has an input schema that is an object.",
    "declare one: clients drop the tool, or the whole list, without it",
)
INPUT_SCHEMA_ADDED = reason(
    "INPUT_SCHEMA_ADDED",
    "The tool has an input schema where it had none that is an object.",
    "nothing: clients could not use the tool before",
)

_REMARK = "what a default of an output says binds nobody"


def _object(**properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties}


_PLACE = _object(city={"type": "string"})
_PLACE_REQUIRED = _PLACE | {"required": ["city"]}
_CLOSED = _PLACE | {"additionalProperties": False}
_UNITS = _object(units={"enum": ["c", "f"]})
_FEWER_UNITS = _object(units={"enum": ["c"]})
_TWO = _object(city={"type": "string"}, days={"type": "integer"})
_FEW_DAYS = _object(days={"type": "integer", "maximum": 5})
_DAYS = _object(days={"type": "integer"})
_DEFAULT = _object(days={"type": "integer", "default": 3})
_OTHER_DEFAULT = _object(days={"type": "integer", "default": 7})
_UNDECIDED = (_object(a={"format": "email"}), _object(a={"format": "uuid"}))


@rule(
    id="input.required-added",
    scope=Scope.INPUT,
    verdict=Verdict.BREAKING,
    reason_code=INPUT_REQUIRED_ADDED,
    says=[(_PLACE, _PLACE_REQUIRED), (_object(), _PLACE_REQUIRED)],
    silent=[(_PLACE_REQUIRED, _PLACE), (_PLACE, _TWO)],
)
def required_added(pair: SchemaPair) -> Iterator[Said]:
    """A member of the input became required.

    Callers do not send it today, and are refused.
    """
    for found in pair.broken("required-added"):
        yield Said(*pair.places(found.difference), found.witness)


@rule(
    id="input.required-removed",
    scope=Scope.INPUT,
    verdict=Verdict.COMPATIBLE,
    reason_code=INPUT_REQUIRED_REMOVED,
    says=[(_PLACE_REQUIRED, _PLACE)],
    silent=[(_PLACE, _PLACE_REQUIRED)],
)
def required_removed(pair: SchemaPair) -> Iterator[Said]:
    """A member of the input is no longer required.

    Callers may go on sending it.
    """
    for found in pair.unbroken("required-removed"):
        if found.new is not None:  # else it is gone altogether, which another rule says
            yield Said(*pair.places(found))


@rule(
    id="input.member-added",
    scope=Scope.INPUT,
    verdict=Verdict.COMPATIBLE,
    reason_code=INPUT_MEMBER_ADDED,
    says=[(_PLACE, _TWO)],
    silent=[(_TWO, _PLACE), (_object(), _PLACE_REQUIRED)],
)
def member_added(pair: SchemaPair) -> Iterator[Said]:
    """The input takes another, optional member.

    Callers need not send it.
    """
    required = [b.difference for b in pair.broken("required-added")]
    known = {(d.at, d.name) for d in required if d is not None}
    for found in pair.unbroken("member-added"):
        if (found.at, found.name) not in known:
            yield Said(*pair.places(found))


@rule(
    id="input.member-removed",
    scope=Scope.INPUT,
    verdict=Verdict.CONDITIONAL,
    reason_code=INPUT_MEMBER_REMOVED,
    says=[(_TWO, _PLACE)],
    silent=[(_PLACE, _TWO), (_TWO | {"additionalProperties": False}, _CLOSED)],
)
def member_removed(pair: SchemaPair) -> Iterator[Said]:
    """The input no longer declares a member.

    Callers who send it are not refused; whether it still does anything, the schema does not say.
    """
    for found in pair.unbroken("member-removed"):
        yield Said(*pair.places(found))


@rule(
    id="input.additional-forbidden",
    scope=Scope.INPUT,
    verdict=Verdict.CONDITIONAL,
    reason_code=INPUT_ADDITIONAL_FORBIDDEN,
    says=[(_PLACE, _CLOSED)],
    silent=[(_CLOSED, _PLACE), (_PLACE, _TWO)],
)
def additional_forbidden(pair: SchemaPair) -> Iterator[Said]:
    """The input refuses members it does not declare.

    Callers who send members of their own are refused; those who send what was declared are not.
    """
    for found in pair.unbroken("additional-forbidden"):
        yield Said(*pair.places(found))


@rule(
    id="input.additional-allowed",
    scope=Scope.INPUT,
    verdict=Verdict.COMPATIBLE,
    reason_code=INPUT_ADDITIONAL_ALLOWED,
    says=[(_CLOSED, _PLACE)],
    silent=[(_PLACE, _CLOSED)],
)
def additional_allowed(pair: SchemaPair) -> Iterator[Said]:
    """The input lets members pass that it does not declare.

    Callers are accepted as before.
    """
    for found in pair.unbroken("additional-allowed"):
        yield Said(*pair.places(found))


@rule(
    id="input.enum-removed",
    scope=Scope.INPUT,
    verdict=Verdict.BREAKING,
    reason_code=INPUT_ENUM_REMOVED,
    says=[(_UNITS, _FEWER_UNITS)],
    silent=[(_FEWER_UNITS, _UNITS)],
)
def enum_removed(pair: SchemaPair) -> Iterator[Said]:
    """The input no longer accepts a value of an enum.

    Callers who send it are refused.
    """
    for found in pair.broken("enum-value-removed"):
        yield Said(*pair.places(found.difference), found.witness)


@rule(
    id="input.enum-added",
    scope=Scope.INPUT,
    verdict=Verdict.COMPATIBLE,
    reason_code=INPUT_ENUM_ADDED,
    says=[(_FEWER_UNITS, _UNITS)],
    silent=[(_UNITS, _FEWER_UNITS)],
)
def enum_added(pair: SchemaPair) -> Iterator[Said]:
    """The input accepts another value of an enum.

    Callers need not send it.
    """
    for found in pair.unbroken("enum-value-added"):
        yield Said(*pair.places(found))


@rule(
    id="input.narrowed",
    scope=Scope.INPUT,
    verdict=Verdict.BREAKING,
    reason_code=INPUT_NARROWED,
    says=[
        (_DAYS, _FEW_DAYS),
        (_DAYS, _object(days={"type": "string"})),
        (_TWO | {"additionalProperties": False}, _CLOSED),
    ],
    silent=[(_FEW_DAYS, _DAYS), (_PLACE, _PLACE_REQUIRED)],
)
def narrowed(pair: SchemaPair) -> Iterator[Said]:
    """The input refuses values it accepted.

    Callers who send one are refused: its type, range, length, pattern or shape is another.
    """
    for found in pair.breaks:
        if found.kind not in ("required-added", "enum-value-removed"):
            yield Said(*pair.places(found.difference), found.witness)


@rule(
    id="input.widened",
    scope=Scope.INPUT,
    verdict=Verdict.COMPATIBLE,
    reason_code=CONTAINED,
    says=[(_FEW_DAYS, _DAYS), (_DAYS, _object(days={"type": ["integer", "string"]}))],
    silent=[(_DAYS, _FEW_DAYS), (_PLACE, _TWO)],
)
def widened(pair: SchemaPair) -> Iterator[Said]:
    """The input accepts all it accepted, and is said otherwise.

    Callers are accepted as before.
    """
    for difference in pair.restated:
        yield Said(*pair.places(difference))


@rule(
    id="input.undecided",
    scope=Scope.INPUT,
    verdict=Verdict.CONDITIONAL,
    reason_code=UNDECIDED,
    says=[_UNDECIDED],
    silent=[(_FEW_DAYS, _DAYS), (_DAYS, _FEW_DAYS)],
)
def undecided(pair: SchemaPair) -> Iterator[Said]:
    """Whether the input still accepts what it accepted could not be told.

    Callers may be refused: there is neither a proof nor a counterexample that holds everywhere.
    """
    if pair.are_schemas and (answer := pair.undecided) is not None:
        yield Said(*pair.places(None), answer.witness, answer.reason_code)


@rule(
    id="input.default-added",
    scope=Scope.INPUT,
    verdict=Verdict.COMPATIBLE,
    reason_code=INPUT_DEFAULT_ADDED,
    says=[(_DAYS, _DEFAULT)],
    silent=[(_DEFAULT, _DAYS), (_DEFAULT, _OTHER_DEFAULT)],
    unmirrored={"output.default-added": _REMARK},
)
def default_added(pair: SchemaPair) -> Iterator[Said]:
    """The input says what is taken where a member is not sent.

    Callers are accepted as before.
    """
    for found in pair.unbroken("default-added"):
        yield Said(*pair.places(found))


@rule(
    id="input.default-removed",
    scope=Scope.INPUT,
    verdict=Verdict.CONDITIONAL,
    reason_code=INPUT_DEFAULT_REMOVED,
    says=[(_DEFAULT, _DAYS)],
    silent=[(_DAYS, _DEFAULT), (_DEFAULT, _OTHER_DEFAULT)],
    unmirrored={"output.default-removed": _REMARK},
)
def default_removed(pair: SchemaPair) -> Iterator[Said]:
    """The input no longer says what is taken where a member is not sent.

    Callers who rely on it are accepted, and may get another answer.
    """
    for found in pair.unbroken("default-removed"):
        yield Said(*pair.places(found), {"old": found.values[0]})


@rule(
    id="input.default-changed",
    scope=Scope.INPUT,
    verdict=Verdict.CONDITIONAL,
    reason_code=INPUT_DEFAULT_CHANGED,
    says=[(_DEFAULT, _OTHER_DEFAULT)],
    silent=[(_DEFAULT, _DAYS), (_DAYS, _DEFAULT)],
    unmirrored={"output.default-changed": _REMARK},
)
def default_changed(pair: SchemaPair) -> Iterator[Said]:
    """Another value is taken where a member of the input is not sent.

    Callers who do not send it are accepted, and get another answer.
    """
    for found in pair.unbroken("default-changed"):
        old, new = found.values
        yield Said(*pair.places(found), {"old": old, "new": new})


@rule(
    id="input.schema-removed",
    scope=Scope.INPUT,
    verdict=Verdict.BREAKING,
    reason_code=INPUT_SCHEMA_REMOVED,
    says=[(_PLACE, None), (_PLACE, True)],
    silent=[(None, _PLACE), (_PLACE, _TWO), (None, True)],
)
def schema_removed(pair: SchemaPair) -> Iterator[Said]:
    """The tool has no input schema that is an object any more.

    Clients drop the tool, or refuse the whole list.
    """
    if isinstance(pair.old, dict) and not isinstance(pair.new, dict):
        yield Said(*pair.places(None), {"missing": pair.member})


@rule(
    id="input.schema-added",
    scope=Scope.INPUT,
    verdict=Verdict.COMPATIBLE,
    reason_code=INPUT_SCHEMA_ADDED,
    says=[(None, _PLACE), (True, _PLACE)],
    silent=[(_PLACE, None), (_PLACE, _TWO), (None, True)],
)
def schema_added(pair: SchemaPair) -> Iterator[Said]:
    """The tool has an input schema where it had none that is an object.

    Clients that dropped the tool can use it.
    """
    if isinstance(pair.new, dict) and not isinstance(pair.old, dict):
        yield Said(*pair.places(None))
