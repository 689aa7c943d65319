"""Which cases of a suite are to run: by tags, and by the profile the target is reached under."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from bundles.errors import Invalid
from bundles.reasons import reason
from bundles.report.cut import escaped
from bundles.suite.model import Case, Suite

SUITE_NOTHING_CHOSEN = reason(
    "SUITE_NOTHING_CHOSEN",
    "The tags and the profile that were asked for leave no case of the suite.",
    "name tags and a profile that cases of the suite have, or none",
)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A case that was not chosen: its id, and why, in one sentence."""

    id: str
    why: str

    def to_dict(self) -> dict[str, str]:
        """Plain JSON: {"id", "message"}."""
        return {"id": self.id, "message": self.why}


@dataclass(frozen=True, slots=True)
class Selection:
    """The suite with the cases that were chosen, and those that were not; both in file order."""

    suite: Suite
    left_out: tuple[LeftOut, ...]


def select(
    suite: Suite,
    *,
    profile: str = "",
    tags: Collection[str] = (),
    skip_tags: Collection[str] = (),
) -> Selection:
    """Choose the cases that are to run.

    Setup and teardown prepare for whatever is chosen, so that tags do not choose among them; a
    profile does. Of a version-1 suite every case is chosen unless tags are asked for.

    Args:
        suite: all cases.
        profile: the profile in use, "" for none: cases that name profiles are left out then.
        tags: a case needs one of these; empty means that it needs none.
        skip_tags: a case must have none of these, whatever else it has.
    """
    left_out: list[LeftOut] = []

    def kept(cases: tuple[Case, ...], *, by_tags: bool) -> tuple[Case, ...]:
        chosen = []
        for case in cases:
            why = _other_profile(case, profile)
            if by_tags:
                why = why or _tagged(case, skip_tags) or _untagged(case, tags)
            if why:
                left_out.append(LeftOut(case.id, why))
            else:
                chosen.append(case)
        return tuple(chosen)

    chosen = replace(
        suite,
        setup=kept(suite.setup, by_tags=False),
        cases=kept(suite.cases, by_tags=True),
        teardown=kept(suite.teardown, by_tags=False),
    )
    return Selection(chosen, tuple(left_out))


def select_some(
    suite: Suite,
    *,
    profile: str = "",
    tags: Collection[str] = (),
    skip_tags: Collection[str] = (),
) -> Selection:
    """Choose as `select` does, where a run is to say something.

    Raises:
        Invalid: SUITE_NOTHING_CHOSEN, a run of no case would say nothing.
    """
    chosen = select(suite, profile=profile, tags=tags, skip_tags=skip_tags)
    if not chosen.suite.cases:
        raise Invalid(
            SUITE_NOTHING_CHOSEN,
            f"none of the {len(suite.cases)} cases was chosen",
            seen=[each.to_dict() for each in chosen.left_out[:10]],
        )
    return chosen


def _other_profile(case: Case, profile: str) -> str:
    if case.for_profile(profile):
        return ""
    used = f"the profile is {escaped(profile)}" if profile else "no profile was named"
    return f"it is for {_listed(case.profiles)}, and {used}"


def _tagged(case: Case, skip_tags: Collection[str]) -> str:
    skipped = [tag for tag in case.tags if tag in skip_tags]
    return f"it has the tag {_listed(skipped)}" if skipped else ""


def _untagged(case: Case, tags: Collection[str]) -> str:
    if not tags or any(tag in tags for tag in case.tags):
        return ""
    return f"it has no tag {_listed(tags)}"


def _listed(names: Collection[str]) -> str:
    return escaped(" or ".join(names))
