"""The page on compatibility shows the rules as they are."""

from pathlib import Path

from bundles.compat.rule import rules

PAGE = Path(__file__).parents[3] / "docs" / "compatibility.md"


def rows() -> list[str]:
    """The table, as the rules have it."""
    return [
        f"| `{r.id}` | {r.verdict.word} | `{r.reason_code}` | {r.title} {r.why} |"
        for r in sorted(rules().values(), key=lambda rule: rule.id)
    ]


def test_the_table_of_rules_is_complete() -> None:
    told = PAGE.read_text().partition("\n## Rules\n")[2].splitlines()
    assert [line for line in told if line.startswith("| `")] == rows()
