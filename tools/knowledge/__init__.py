"""Public knowledge: what everybody may know, and what is therefore no private person's name by itself."""
