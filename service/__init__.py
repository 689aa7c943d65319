"""The API process: the registry's law, its store, and the HTTP face."""
