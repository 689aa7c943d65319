"""The Celery-backed run queue."""
