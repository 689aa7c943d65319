"""Reference servers, healthy and deliberately broken, written on the raw wire; and stock ones, made with the SDK."""
