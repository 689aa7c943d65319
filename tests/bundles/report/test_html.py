"""Reports as a page: whole, readable without colour or script, and deaf to what it quotes."""

from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.report import Report, html
from bundles.report.cut import escaped
from bundles.report.html_style import STYLE

FINDING: dict[str, Any] = {
    "check_id": "a.bad",
    "reason_code": "A_BAD",
    "severity": "MUST",
    "message": "it is \x1b[31mred",
    "path": "ü.json",
    "line": 7,
    "pointer": "/tools/0",
    "seen": {"x": "<b>y</b>"},
    "next_step": "paint it",
}
REPORT = Report(
    "conformance",
    "http://x/?a=1&b=2",
    "FAIL",
    outcomes=(
        {"id": "a.bad", "verdict": "FAIL", "reason_code": "A_BAD", "message": "it is red"},
        {"id": "a.good", "verdict": "PASS", "message": "the rule", "seconds": 0.25},
        {"id": "a.maybe", "verdict": "INCONCLUSIVE", "message": "timed out"},
    ),
    findings=(FINDING, FINDING, FINDING | {"check_id": "a.lost", "next_step": None}),
    not_covered=("no suites",),
    facts={"digest": "sha256:0", "tools": 3},
)
_VOID = {"meta"}


class Page(HTMLParser):
    """Elements, text and anchors of a page, and whether every element is closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def attributes(self, tag: str, name: str) -> list[str | None]:
        return [attributes[name] for found, attributes in self.elements if found == tag]


def test_the_page_says_everything_in_words() -> None:
    page = Page(html.render(REPORT))
    for said in (
        "Verdict: ✗ FAIL",
        "1 failed, 1 inconclusive, 1 passed (3 checks)",
        "digest",
        "sha256:0",
        "To look at ✗ failed a.bad A_BAD it is \\u001b[31mred where ü.json:7 /tools/0",
        '{"x":"<b>y</b>"}',
        "? inconclusive a.maybe timed out",
        "✗ failed a.lost",
        "Not covered no suites",
        "0.250",
    ):
        assert said in page.text or said.replace(" ", "") in page.text.replace(" ", ""), said
    assert page.text.count("Next: paint it") == 1, "once a check"
    assert html.render(REPORT) == html.render(REPORT)


def test_the_page_can_be_found_ones_way_in_by_ear() -> None:
    page = Page(html.render(REPORT))
    tags = [tag for tag, _ in page.elements]
    assert page.elements[0] == ("html", {"lang": "en"})
    assert (tags.count("h1"), tags.count("main"), tags.count("title")) == (1, 1, 1)
    levels = [int(tag[1]) for tag in tags if tag in {"h1", "h2", "h3"}]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    anchors = {attributes.get("id") for _, attributes in page.elements}
    for tag, attributes in page.elements:
        if tag == "th":
            assert attributes["scope"] in {"col", "row"}
        if tag == "a":
            assert str(attributes["href"])[1:] in anchors, "every link leads somewhere on the page"
        if tag == "section":
            assert attributes["aria-labelledby"] in anchors
        if tag == "strong":
            assert attributes["class"], "a verdict has its class, and a word beside its sign"


def test_the_page_needs_nothing_and_runs_nothing() -> None:
    page = Page(html.render(REPORT))
    allowed = {"html", "head", "meta", "title", "style", "body", "header", "main", "section"}
    allowed |= {"article", "h1", "h2", "h3", "p", "span", "strong", "code", "a"}
    allowed |= {
        "dl",
        "dt",
        "dd",
        "ul",
        "li",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }
    assert {tag for tag, _ in page.elements} <= allowed
    policies = [a["content"] for t, a in page.elements if a.get("http-equiv") is not None]
    assert policies == [html.POLICY]
    assert "url(" not in STYLE
    assert "@import" not in STYLE


def test_a_run_without_findings_has_nothing_to_look_at() -> None:
    page = Page(html.render(Report("t", "s", "PASS", ({"id": "a", "verdict": "PASS"},))))
    assert "To look at" not in page.text
    assert page.attributes("h2", "id") == ["all"]
    assert "nothing checked (0 checks)" in Page(html.render(Report("t", "s", "PASS"))).text


def test_a_verdict_of_another_version_is_shown_and_never_looks_like_a_pass() -> None:
    odd = Report("t", "s", "BRAND_NEW", ({"id": "x", "verdict": "BRAND_NEW", "message": "m"},))
    page = Page(html.render(odd))
    assert "1 BRAND_NEW (1 checks)" in page.text
    assert set(page.attributes("strong", "class")) == {"unknown"}
    assert "To look at" in page.text


ANY_TEXT = st.text(alphabet=st.characters(), max_size=30) | st.sampled_from(
    ["</style><script>alert(1)</script>", "' onload='x", '" onload="x', "<!--", "&lt;", "\u202e"]
)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(ANY_TEXT, ANY_TEXT)
def test_no_quoted_text_becomes_markup(words: str, value: str) -> None:
    def page(said: str, held: str) -> Page:
        finding = FINDING | {"message": said, "path": said, "seen": held, "next_step": said}
        outcome = {"id": said, "verdict": "FAIL", "reason_code": "A", "message": said}
        stage = {"stage": said, "profile": said}
        found = (finding | stage | {"check_id": said}, finding)
        rendered = html.render(
            Report(said, said, "FAIL", (outcome | stage,), found, (said,), {"f": held, "g": [held]})
        )
        for line in rendered.split("\n"):
            assert escaped(line) == line
        rendered.encode()
        return Page(rendered)

    made, plain = page(words or "x", value), page("x", "x")
    assert made.elements == plain.elements
