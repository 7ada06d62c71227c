"""The commands of `gama`."""
