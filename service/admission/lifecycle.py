"""The state machine of a candidate, as a table."""
