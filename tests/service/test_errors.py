"""Each refusal has one HTTP status."""

import pytest

from bundles import errors
from bundles.errors import BundlegateError
from service.errors import BODY_TOO_LARGE, CONTENT_TYPE_UNSUPPORTED, status_of

EXPECTED = {
    errors.Refused: 422,
    errors.LimitExceeded: 422,
    errors.Invalid: 400,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.Unauthorised: 401,
    errors.Forbidden: 403,
    errors.Unreachable: 503,
}


def descendants(kind: type) -> set[type]:
    return {kind}.union(*map(descendants, kind.__subclasses__()))


@pytest.mark.parametrize("kind", sorted(EXPECTED, key=lambda k: k.__name__))
def test_a_class_has_its_status(kind: type[BundlegateError]) -> None:
    assert status_of(kind("CODE", "detail")) == EXPECTED[kind]


def test_every_class_of_the_tree_has_a_status_of_its_own_or_its_parents() -> None:
    ours = {k for k in descendants(BundlegateError) if k.__module__ == "bundles.errors"}
    assert ours == {BundlegateError, *EXPECTED}


def test_codes_of_the_http_face_are_more_exact_than_their_class() -> None:
    assert status_of(errors.Invalid(BODY_TOO_LARGE, "x")) == 413
    assert status_of(errors.Invalid(CONTENT_TYPE_UNSUPPORTED, "x")) == 415


def test_the_root_itself_is_our_mistake() -> None:
    assert status_of(BundlegateError("CODE", "detail")) == 500
