"""The commands of `gama eval` and `gama bench`: their options, and what they do. Light: the command line loads them."""
