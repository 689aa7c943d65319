"""Entry point of the command."""

from bundlegate.cli import cli


def main() -> None:
    """Run the command; its exit code stands whoever still reads (`bundlegate.cli.output.emit`)."""
    cli(prog_name="bundlegate")


if __name__ == "__main__":
    main()
