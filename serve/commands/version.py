"""`gama version`."""


def version() -> None:
    """Print the version."""
    from gama import __version__

    print(__version__)
