"""Whether one contract can replace another: containment of schemas, and what a diff means."""
