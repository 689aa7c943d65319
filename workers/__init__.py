"""The Celery process: probes do I/O and return transcripts; checks judge them."""
