"""`python -m gama`: the command line."""

if __name__ == "__main__":
    from gama.serve.cli import main

    main()
