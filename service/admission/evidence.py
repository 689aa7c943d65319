"""Evidence: in-toto statements in DSSE envelopes, signed and verified."""
