"""Choosing cases by tag and profile."""

from typing import Any

from bundles.suite.model import Suite, load_suite
from bundles.suite.selection import Selection, select


def case(name: str, **members: Any) -> dict[str, Any]:
    return {
        "id": name,
        "name": name,
        "operation": {"type": "listTools"},
        "assertions": [{"type": "toolExists", "tool": "x"}],
    } | members


SUITE: Suite = load_suite(
    {
        "schemaVersion": 2,
        "format": "bundlegate",
        "id": "s",
        "name": "S",
        "setup": [case("setup"), case("setup-admin", profiles=["admin"])],
        "cases": [
            case("plain"),
            case("smoke", tags=["smoke"]),
            case("slow-smoke", tags=["smoke", "slow"]),
            case("admin", profiles=["admin", "root"]),
        ],
        "teardown": [case("teardown", profiles=["root"])],
    }
)


def ids(chosen: Selection) -> list[str]:
    return [each.id for each in chosen.suite.everything]


def test_without_a_wish_only_cases_for_named_profiles_are_left_out() -> None:
    chosen = select(SUITE)
    assert ids(chosen) == ["setup", "plain", "smoke", "slow-smoke"]
    assert [each.to_dict() for each in chosen.left_out] == [
        {"id": "setup-admin", "message": "it is for admin, and no profile was named"},
        {"id": "admin", "message": "it is for admin or root, and no profile was named"},
        {"id": "teardown", "message": "it is for root, and no profile was named"},
    ]


def test_a_profile_chooses_in_every_part() -> None:
    assert ids(select(SUITE, profile="root")) == [
        "setup",
        "plain",
        "smoke",
        "slow-smoke",
        "admin",
        "teardown",
    ]
    assert "setup-admin" in ids(select(SUITE, profile="admin"))


def test_tags_choose_among_the_cases_alone_and_a_skipped_tag_wins() -> None:
    assert ids(select(SUITE, tags=["smoke"])) == ["setup", "smoke", "slow-smoke"]
    assert ids(select(SUITE, tags=["smoke"], skip_tags=["slow"])) == ["setup", "smoke"]
    assert ids(select(SUITE, skip_tags=["slow"])) == ["setup", "plain", "smoke"]
    assert ids(select(SUITE, tags=["slow", "none"])) == ["setup", "slow-smoke"]


def test_whatever_is_not_chosen_is_named_with_the_reason() -> None:
    chosen = select(SUITE, tags=["smoke"], skip_tags=["slow"])
    assert {each.id for each in chosen.left_out} | set(ids(chosen)) == {
        each.id for each in SUITE.everything
    }
    why = {each.id: each.why for each in chosen.left_out}
    assert why["slow-smoke"] == "it has the tag slow"
    assert why["plain"] == "it has no tag smoke"
