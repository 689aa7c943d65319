"""The gate: evidence × policy × now → decision, pure."""
