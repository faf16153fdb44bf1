"""A conversation, and what is kept of it."""
