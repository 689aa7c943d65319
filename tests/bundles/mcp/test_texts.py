"""What texts may not hide or leak, and what ordinary texts may hold."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.mcp.hidden_text import hidden_characters
from bundles.mcp.leaks import credentials, internals, stack_traces, strings, without_echo


@pytest.mark.parametrize(
    "text",
    [
        "zero\u200bwidth",
        "word\u2060joiner",
        "soft\u00adhyphen",
        "\ufeffbyte order mark",
        "right\u202eleft",
        "isolate\u2066d\u2069",
        "mark\u200e",
        "tag\U000e0041",
        "bell\x07",
        "escape\x1b[31m",
        "delete\x7f",
        "filler\u3164",
        "join\u200der in ASCII",
        "selector\ufe0f\ufe01 run",
        "supplement\U000e0100",
        "\U0001f3f4\U000e0041\U000e0042 without its end",
    ],
)
def test_hidden_characters_are_named(text: str) -> None:
    assert hidden_characters(text)


@pytest.mark.parametrize(
    "text",
    [
        "plain words, tabs\tand\nlines\r\n",
        "naïve café – “quotes” … 温度 погода",
        "👩‍🚒 ⚠️ 1️⃣ 👍🏽 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "می‌خواهم क्‍ष",
        "\u0600123",
        "non-breaking\u00a0space",
    ],
)
def test_ordinary_text_hides_nothing(text: str) -> None:
    assert hidden_characters(text) == ()


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(max_size=30), st.sampled_from("\u200b\u202e\u2066\U000e0041\x00"))
def test_a_hidden_character_is_found_wherever_it_stands(text: str, hidden: str) -> None:
    for at in range(len(text) + 1):
        assert f"U+{ord(hidden):04X}" in " ".join(hidden_characters(text[:at] + hidden + text[at:]))


@pytest.mark.parametrize(
    "text",
    [
        "Traceback (most recent call last):",
        'File "app.py", line 12, in call',
        "Error: x\n    at Object.call (/srv/app/index.js:10:5)",
        "    at file:///srv/app/index.mjs:10:5",
        "   at App.Tools.Call() in C:\\src\\Tools.cs:line 12",
        "java.lang.NullPointerException\n\tat com.example.Tool.call(Tool.java:42)",
        "goroutine 1 [running]:",
        "thread 'main' panicked at src/main.rs:3",
        "app/tool.rb:3:in `call'",
        "#0 /var/www/tool.php(12): call()",
    ],
)
def test_stack_traces_are_seen(text: str) -> None:
    assert stack_traces(text)


@pytest.mark.parametrize(
    "text",
    [
        "postgres://app:hunter2@db.example.com/alerts",
        "Authorization: Bearer abcdefghijklmnop1234",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "AKIAIOSFODNN7EXAMPLE",
        "-----BEGIN RSA PRIVATE KEY-----",
        "password=hunter2hunter2",
        "api_key: 9f8e7d6c5b4a",
        "refused [redacted]",
        "refused [redacted:bearer]",
    ],
)
def test_credentials_are_seen(text: str) -> None:
    assert credentials(text)


@pytest.mark.parametrize(
    "text",
    [
        "open '/home/app/alerts.json' failed",
        "ENOENT: /usr/lib/x",
        "cannot read /app/server.py",
        "file:///srv/x",
        r"C:\Users\app\alerts.json",
        "dial tcp 10.1.2.3:5432",
        "http://192.168.0.7/x",
        "169.254.169.254",
    ],
)
def test_internals_are_seen(text: str) -> None:
    assert internals(text)


@pytest.mark.parametrize(
    "text",
    [
        "Unknown city: Atlantis",
        "Input validation error: 'city' is a required property",
        "For further information visit https://errors.pydantic.dev/2.14/v/missing",
        "the token is required; password: must be a string",
        "GET /data/2.5/weather answered 404",
        "version 10.1.2 or 1.10.0.3.4 at line 3 (column 7)",
        "look at the list (tools: 3)",
        "ratio 1/2, either/or, and/or",
    ],
)
def test_words_for_the_caller_leak_nothing(text: str) -> None:
    assert stack_traces(text) == credentials(text) == internals(text) == ()


def test_repeating_what_the_caller_sent_is_no_leak() -> None:
    text = "no such file: /home/me/x"
    assert internals(without_echo(text, ["/home/me/x"])) == ()
    assert internals(without_echo(text, ["/h"])) == internals(text)


def test_texts_are_found_at_any_depth_and_in_names() -> None:
    value: object = "deepest"
    for _ in range(5000):
        value = [value]
    assert list(strings(value)) == ["deepest"]
    assert set(strings({"name": ["x", {"y": "z"}], "n": 1})) == {"name", "n", "x", "y", "z"}
