"""The embedded service: broker, API and worker on one machine, under one supervisor."""
