"""The pytest plugin: every case of a suite file is a test. `plugin` is what pytest loads."""
