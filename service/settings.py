"""One typed settings object, read once."""
