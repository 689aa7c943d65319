"""Fixtures every test may use: a real PostgreSQL and a real broker, started here."""

pytest_plugins = [
    "tests.fixtures.postgres",
    "tests.fixtures.databases",
    "tests.fixtures.broker",
    "tests.fixtures.up",
    "tests.fixtures.held_server",
    "tests.fixtures.world",
    "tests.fixtures.house",
]
