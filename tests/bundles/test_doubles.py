"""A number is written as JavaScript writes it, so that a digest is the same everywhere."""

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.doubles import number_text
from bundles.suite.reading import parse


@pytest.mark.parametrize(
    ("written", "spelt"),
    [
        ("1.0", "1"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("1e2", "100"),
        ("0.1", "0.1"),
        ("-12.50", "-12.5"),
        ("9007199254740993", "9007199254740992"),
        ("123456789012345678901", "123456789012345680000"),
        ("1e20", "100000000000000000000"),
        ("1e21", "1e+21"),
        ("1.25e300", "1.25e+300"),
        ("0.000001", "0.000001"),
        ("1e-7", "1e-7"),
        ("5e-324", "5e-324"),
        ("1e400", "null"),
    ],
)
def test_numbers_are_spelt_as_javascript_spells_them(written: str, spelt: str) -> None:
    assert number_text(parse(written)) == spelt


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=300, deadline=None)
def test_a_spelt_number_is_the_number_again(number: float) -> None:
    written = number_text(number)
    assert float(written) == number
    assert written == rfc8785.dumps(number).decode()
