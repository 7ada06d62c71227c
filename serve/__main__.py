"""`python -m gama.serve`: the command line."""

from gama.serve.cli import main

if __name__ == "__main__":
    main()
