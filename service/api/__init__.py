"""The HTTP face: one module a resource, and what all of them share.

Resources: bundles candidates runs reports transcripts gate transitions decisions evidence policies
catalogue tokens audit health. Shared: routes (how an endpoint is declared), auth (who may call),
body (strict JSON), problems (every error), desk (the way into the registry), watch (waiting),
wire (records as JSON), reads (pages and ETags), envelope (what every response carries), unread
(bodies without an end).
"""
