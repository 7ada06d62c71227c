"""The HTTP API: LangServe-shaped routes, texts, threads, health, metrics, and the gates before them."""
