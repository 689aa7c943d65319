"""The form of names and sentences that come from outside and are stored as text."""

from bundles.digest import is_digest
from bundles.errors import Invalid
from bundles.names import NAME_FORM, is_name
from service.admission import ids
from service.admission.refusals import FILTER_INVALID, NAME_INVALID

_LONGEST_FILTER = 256


def name(text: str, what: str, pointer: str, *, code: str = NAME_INVALID) -> str:
    """A name as `bundles.names` has it.

    Raises:
        Invalid: `code`.
    """
    if not is_name(text):
        raise Invalid(
            code,
            f"{what} is not a name",
            pointer=pointer,
            seen=text[:200],
            expected=NAME_FORM,
        )
    return text


def storable(text: str) -> bool:
    """True for text a database can hold: no NUL, no half surrogates. Other text matches nothing."""
    try:
        return b"\0" not in text.encode("utf-8")
    except UnicodeEncodeError:
        return False


def check_filters(
    *, digest: str | None = None, candidate_id: str | None = None, **filters: str | None
) -> None:
    """Let filters of a list pass that could match something.

    What is no digest, or no id of a candidate, names nothing that ever was: an empty list would
    read as "there is none" where the question itself was mistyped.

    Raises:
        Invalid: FILTER_INVALID.
    """
    for given, text in filters.items():
        if text is not None and not (storable(text) and 0 < len(text) <= _LONGEST_FILTER):
            raise _no_filter(given, text, f"1 to {_LONGEST_FILTER} characters, no NUL")
    if digest is not None and not is_digest(digest):
        raise _no_filter("digest", digest, "sha256:<64 lower-case hex digits>")
    if candidate_id is not None and not ids.is_id(ids.CANDIDATE, candidate_id):
        raise _no_filter(
            "candidate_id", candidate_id, f"{ids.CANDIDATE}_<32 lower-case hex digits>"
        )


def _no_filter(given: str, text: str, expected: str) -> Invalid:
    return Invalid(
        FILTER_INVALID,
        f"the filter {given} matches nothing that can be stored",
        path="query",
        pointer=f"/{given}",
        seen=ascii(text[:100]),
        expected=expected,
    )


def sentence(text: str, longest: int) -> str:
    """Words as every database stores them: no NUL, no half surrogates, cut at `longest`."""
    whole = (
        text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
    )
    return whole if len(whole) <= longest else whole[: longest - 1] + "…"
