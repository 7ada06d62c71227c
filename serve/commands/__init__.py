"""The commands of `gama`, one file each."""
