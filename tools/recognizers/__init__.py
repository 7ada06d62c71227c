"""Pattern recognizers: one file per kind of value, each built on the library made for it."""
