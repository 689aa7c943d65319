"""Running suites on a server: in a run (`run_suite`), or live with its report (`run_live`)."""
