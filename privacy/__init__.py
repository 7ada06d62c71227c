"""The one engine: identify, judge, fuse, link, select, replace, look again, restore."""

if __name__ != "gama.privacy":
    raise ImportError("import it as gama.privacy")
