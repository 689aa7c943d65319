"""Tools as listed, and what their digests see."""

from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.tools import by_name, hint, list_digest, listed_tools, tool_digest


def test_tools_of_all_pages_are_joined_in_order_and_what_is_no_tool_is_left_out() -> None:
    transcript = ex.edited(ex.healthy(), probes.TOOLS_LIST, lambda r: r["tools"].insert(1, None))
    assert [tool["name"] for tool in listed_tools(transcript)] == ["get_forecast", "save_alert"]


def test_a_digest_sees_every_member_but_not_the_spelling_of_defaults() -> None:
    tool = {"name": "x", "inputSchema": {"type": "object"}}
    spelled = {**tool, "annotations": {"readOnlyHint": False, "openWorldHint": True}}
    reordered = {"inputSchema": {"type": "object"}, "name": "x"}
    assert tool_digest(tool) == tool_digest(spelled) == tool_digest(reordered)
    others = [
        {**tool, "annotations": {"readOnlyHint": True}},
        {**tool, "description": "d"},
        {**tool, "x-vendor": 1},
        {**tool, "_meta": {"a": 1}},
    ]
    assert len({tool_digest(other) for other in [tool, *others]}) == 5


def test_a_list_digest_sees_the_order() -> None:
    assert list_digest([ex.FORECAST, ex.SAVE]) != list_digest([ex.SAVE, ex.FORECAST])


def test_of_two_tools_with_one_name_the_first_counts() -> None:
    first, second = {"name": "x", "title": "1"}, {"name": "x", "title": "2"}
    assert by_name([first, second]) == {"x": first}


def test_a_hint_of_the_wrong_type_means_its_default() -> None:
    assert hint({"annotations": {"destructiveHint": "no"}}, "destructiveHint") is True
    assert hint({"annotations": None}, "readOnlyHint") is False
