"""`python -m gama`: the command line, run by its name: the face of the package imports no room."""

if __name__ == "__main__":
    import runpy

    runpy.run_module("gama.serve", run_name="__main__")
