"""What a memory says by now: contradictions, doubles, quality, and what still stands."""
