"""Keys: where the master key comes from (`sources.py`), and where the thread keys that it wraps lie (`base.py`)."""
