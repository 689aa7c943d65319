"""The one composition root of the API."""
