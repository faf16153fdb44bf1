"""Change what is saved: edit, delete, undo, purge, sanitize."""
