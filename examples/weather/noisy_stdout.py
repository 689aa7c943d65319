"""Broken twin: prints a banner to stdout, which over stdio belongs to the protocol alone."""

from server import alerts_folder, build, serve

if __name__ == "__main__":
    print("weather server 1.0.0 ready", flush=True)
    serve(build(alerts_folder()))
