"""The HTTP face: one module per resource, wire types, problems, authentication."""
