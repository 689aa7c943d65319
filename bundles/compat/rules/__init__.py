"""The rules of compatibility, one function each; `bundles.compat.rule` says what a rule is."""
