"""Measurements: what the product costs against the least that the same work can cost.

Each measurement is a module here with `measure() -> list[Measured]`, listed in `MODULES` of
`__main__`. Ours and the floor run in the same process, turn by turn, and only their ratio is told:
seconds of a shared machine mean nothing. Nothing here is asserted; `make bench` prints a table.
"""
