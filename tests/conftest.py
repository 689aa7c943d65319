"""Fixtures every test may use: a real PostgreSQL and a real broker, started here."""

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.servers.twins")  # before any test or fixture imports it

# how long inputs take to make, or to try, says something of the machine and nothing of the code
settings.register_profile("bundlegate", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("bundlegate")

pytest_plugins = [
    "tests.fixtures.postgres",
    "tests.fixtures.databases",
    "tests.fixtures.broker",
    "tests.fixtures.up",
    "tests.fixtures.held_server",
    "tests.fixtures.world",
    "tests.fixtures.house",
]
