"""Version 2 of the suite format: what it adds to version 1, and the way up from there."""
