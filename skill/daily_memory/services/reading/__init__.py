"""Look things up: search, browse, the context block."""
