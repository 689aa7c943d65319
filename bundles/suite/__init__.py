"""The suite format: validation, the schema subset, assertions and judgement."""
