"""Reference servers, healthy and deliberately broken, written on the raw wire without any SDK."""
