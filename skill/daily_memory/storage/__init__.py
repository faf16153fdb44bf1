"""The memory on disk."""
