"""Output schemas: every answer that may come tomorrow must be readable today."""

from collections.abc import Iterator

from bundles.compat.change import Compatibility as Verdict
from bundles.compat.rule import Said, Scope, rule
from bundles.compat.subjects import SchemaPair
from bundles.compat.verdict import CONTAINED, OUTPUT_WIDENED, UNDECIDED
from bundles.reasons import reason

OUTPUT_REQUIRED_REMOVED = reason(
    "OUTPUT_REQUIRED_REMOVED",
    "A member of the output is no longer in every answer.",
    "keep sending it, or release the change under a new name",
)
OUTPUT_REQUIRED_ADDED = reason(
    "OUTPUT_REQUIRED_ADDED",
    "A member of the output is in every answer.",
    "nothing: readers that knew it as optional know it",
)
OUTPUT_MEMBER_ADDED = reason(
    "OUTPUT_MEMBER_ADDED",
    "The output has another member.",
    "nothing, unless a consumer refuses members it does not know",
)
OUTPUT_MEMBER_REMOVED = reason(
    "OUTPUT_MEMBER_REMOVED",
    "The output no longer declares an optional member.",
    "keep the member until no consumer reads it",
)
OUTPUT_ENUM_ADDED = reason(
    "OUTPUT_ENUM_ADDED",
    "The output may hold a value that its enum did not have.",
    "check how consumers treat values they do not know",
)
OUTPUT_ENUM_REMOVED = reason(
    "OUTPUT_ENUM_REMOVED",
    "The output no longer holds a value of its enum.",
    "check that no consumer waits for the value, and that no stored record holds it",
)
OUTPUT_ADDITIONAL_ALLOWED = reason(
    "OUTPUT_ADDITIONAL_ALLOWED",
    "The output may hold members it does not declare.",
    "forbid them again, or check the consumers that decode strictly",
)
OUTPUT_ADDITIONAL_FORBIDDEN = reason(
    "OUTPUT_ADDITIONAL_FORBIDDEN",
    "The output holds no members it does not declare.",
    "nothing: readers were told of none",
)
OUTPUT_SCHEMA_ADDED = reason(
    "OUTPUT_SCHEMA_ADDED",
    "The tool says what its structured answers are.",
    "nothing: readers may rely on it from now on",
)
OUTPUT_SCHEMA_REMOVED = reason(
    "OUTPUT_SCHEMA_REMOVED",
    "The tool no longer says what its structured answers are.",
    "keep the schema: readers validate and decode by it",
)


def _object(**properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties}


_SKY = _object(sky={"type": "string"})
_SKY_ALWAYS = _SKY | {"required": ["sky"]}
_SKY_ALONE = _SKY | {"additionalProperties": False}
_TWO = _object(sky={"type": "string"}, wind={"type": "number"})
_LEVELS = _object(level={"enum": ["low", "high"]})
_MORE_LEVELS = _object(level={"enum": ["low", "high", "extreme"]})
_COUNT = _object(count={"type": "integer"})
_NUMBER = _object(count={"type": "number"})
_UNDECIDED = (_object(a={"format": "email"}), _object(a={"format": "uuid"}))


@rule(
    id="output.required-removed",
    scope=Scope.OUTPUT,
    verdict=Verdict.BREAKING,
    reason_code=OUTPUT_REQUIRED_REMOVED,
    says=[(_SKY_ALWAYS, _SKY), (_SKY_ALWAYS, _object())],
    silent=[(_SKY, _SKY_ALWAYS)],
)
def required_removed(pair: SchemaPair) -> Iterator[Said]:
    """A member of the output is no longer in every answer.

    Readers find it missing.
    """
    for found in pair.broken("required-removed"):
        yield Said(*pair.places(found.difference), found.witness)


@rule(
    id="output.required-added",
    scope=Scope.OUTPUT,
    verdict=Verdict.COMPATIBLE,
    reason_code=OUTPUT_REQUIRED_ADDED,
    says=[(_SKY, _SKY_ALWAYS)],
    silent=[(_SKY_ALWAYS, _SKY), (_object(), _SKY_ALWAYS)],
)
def required_added(pair: SchemaPair) -> Iterator[Said]:
    """A member of the output is in every answer.

    Readers knew it as one that may come.
    """
    for found in pair.unbroken("required-added"):
        if found.old is not None:  # else it is new altogether, which another rule says
            yield Said(*pair.places(found))


@rule(
    id="output.member-added",
    scope=Scope.OUTPUT,
    verdict=Verdict.COMPATIBLE,
    reason_code=OUTPUT_MEMBER_ADDED,
    says=[(_SKY, _TWO), (_object(), _SKY_ALWAYS)],
    silent=[(_TWO, _SKY), (_SKY_ALONE, _TWO | {"additionalProperties": False})],
)
def member_added(pair: SchemaPair) -> Iterator[Said]:
    """The output has another member.

    Readers that let unknown members pass read on as before.
    """
    for found in pair.unbroken("member-added"):
        yield Said(*pair.places(found))


@rule(
    id="output.member-removed",
    scope=Scope.OUTPUT,
    verdict=Verdict.CONDITIONAL,
    reason_code=OUTPUT_MEMBER_REMOVED,
    says=[(_TWO, _SKY)],
    silent=[(_SKY, _TWO), (_SKY_ALWAYS, _object())],
)
def member_removed(pair: SchemaPair) -> Iterator[Said]:
    """The output no longer declares an optional member.

    Readers that use it where it is there find it no more.
    """
    required = [b.difference for b in pair.broken("required-removed")]
    known = {(d.at, d.name) for d in required if d is not None}
    for found in pair.unbroken("member-removed"):
        if (found.at, found.name) not in known:
            yield Said(*pair.places(found), {"missing": found.name})


@rule(
    id="output.additional-allowed",
    scope=Scope.OUTPUT,
    verdict=Verdict.CONDITIONAL,
    reason_code=OUTPUT_ADDITIONAL_ALLOWED,
    says=[(_SKY_ALONE, _SKY)],
    silent=[(_SKY, _SKY_ALONE)],
)
def additional_allowed(pair: SchemaPair) -> Iterator[Said]:
    """The output may hold members it does not declare.

    Readers that decode strictly, as the old schema let them, refuse such an answer.
    """
    for found in pair.unbroken("additional-allowed"):
        yield Said(*pair.places(found))


@rule(
    id="output.additional-forbidden",
    scope=Scope.OUTPUT,
    verdict=Verdict.COMPATIBLE,
    reason_code=OUTPUT_ADDITIONAL_FORBIDDEN,
    says=[(_SKY, _SKY_ALONE)],
    silent=[(_SKY_ALONE, _SKY)],
)
def additional_forbidden(pair: SchemaPair) -> Iterator[Said]:
    """The output holds no members it does not declare.

    Readers were told of none.
    """
    for found in pair.unbroken("additional-forbidden"):
        yield Said(*pair.places(found))


@rule(
    id="output.enum-added",
    scope=Scope.OUTPUT,
    verdict=Verdict.CONDITIONAL,
    reason_code=OUTPUT_ENUM_ADDED,
    says=[(_LEVELS, _MORE_LEVELS)],
    silent=[(_MORE_LEVELS, _LEVELS)],
)
def enum_added(pair: SchemaPair) -> Iterator[Said]:
    """The output may hold a value that its enum did not have.

    Readers that know the values by heart do not know this one.
    """
    for found in pair.broken("enum-value-added"):
        yield Said(*pair.places(found.difference), found.witness)


@rule(
    id="output.enum-removed",
    scope=Scope.OUTPUT,
    verdict=Verdict.CONDITIONAL,
    reason_code=OUTPUT_ENUM_REMOVED,
    says=[(_MORE_LEVELS, _LEVELS)],
    silent=[(_LEVELS, _MORE_LEVELS)],
)
def enum_removed(pair: SchemaPair) -> Iterator[Said]:
    """The output no longer holds a value of its enum.

    Readers that branch on it, or records that were stored with it, wait for what does not come.
    """
    for found in pair.unbroken("enum-value-removed"):
        yield Said(*pair.places(found), {"lost": list(found.values)})


@rule(
    id="output.widened",
    scope=Scope.OUTPUT,
    verdict=Verdict.BREAKING,
    reason_code=OUTPUT_WIDENED,
    says=[
        (_COUNT, _NUMBER),
        (_COUNT, _object(count={"type": "string"})),
        (_SKY_ALONE, _TWO | {"additionalProperties": False}),
    ],
    silent=[(_NUMBER, _COUNT), (_SKY_ALWAYS, _SKY), (_LEVELS, _MORE_LEVELS)],
)
def widened(pair: SchemaPair) -> Iterator[Said]:
    """The output allows values that it did not.

    Readers that hold answers to the old schema refuse one.
    """
    for found in pair.breaks:
        if found.kind not in ("required-removed", "enum-value-added"):
            yield Said(*pair.places(found.difference), found.witness)


@rule(
    id="output.narrowed",
    scope=Scope.OUTPUT,
    verdict=Verdict.COMPATIBLE,
    reason_code=CONTAINED,
    says=[(_NUMBER, _COUNT), (_COUNT, _object(count={"type": "integer", "default": 1}))],
    silent=[(_COUNT, _NUMBER), (_SKY, _TWO)],
)
def narrowed(pair: SchemaPair) -> Iterator[Said]:
    """All the output allows was allowed before, and it is said otherwise.

    Readers read on as before.
    """
    for difference in pair.restated:
        yield Said(*pair.places(difference))


@rule(
    id="output.undecided",
    scope=Scope.OUTPUT,
    verdict=Verdict.CONDITIONAL,
    reason_code=UNDECIDED,
    says=[_UNDECIDED],
    silent=[(_NUMBER, _COUNT), (_COUNT, _NUMBER)],
)
def undecided(pair: SchemaPair) -> Iterator[Said]:
    """Whether the output may still be read as before could not be told.

    Readers may refuse an answer: there is neither a proof nor a counterexample that holds
    everywhere.
    """
    if pair.are_schemas and (answer := pair.undecided) is not None:
        yield Said(*pair.places(None), answer.witness, answer.reason_code)


@rule(
    id="output.schema-added",
    scope=Scope.OUTPUT,
    verdict=Verdict.COMPATIBLE,
    reason_code=OUTPUT_SCHEMA_ADDED,
    says=[(None, _SKY)],
    silent=[(_SKY, None), (_SKY, _TWO), (None, True)],
)
def schema_added(pair: SchemaPair) -> Iterator[Said]:
    """The tool says what its structured answers are.

    Readers that did not know go on not to.
    """
    if isinstance(pair.new, dict) and not isinstance(pair.old, dict):
        yield Said(*pair.places(None))


@rule(
    id="output.schema-removed",
    scope=Scope.OUTPUT,
    verdict=Verdict.BREAKING,
    reason_code=OUTPUT_SCHEMA_REMOVED,
    says=[(_SKY, None), (_SKY, True)],
    silent=[(None, _SKY), (_SKY, _TWO), (None, True)],
)
def schema_removed(pair: SchemaPair) -> Iterator[Said]:
    """The tool no longer says what its structured answers are.

    Readers that validate or decode by it have nothing to do it by.
    """
    if isinstance(pair.old, dict) and not isinstance(pair.new, dict):
        yield Said(*pair.places(None), {"missing": pair.member})
