"""Reference servers on the raw wire, healthy and deliberately broken; stock ones of the SDK."""
