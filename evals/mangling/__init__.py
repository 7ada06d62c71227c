"""What models make of placeholders, as data and code, and how much of it is restored."""
