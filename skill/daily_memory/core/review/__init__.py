"""Contradictions, duplicates, the quality of digests, and the summary."""
