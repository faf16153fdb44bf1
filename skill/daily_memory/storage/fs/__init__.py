"""Files: exact reading, safe writing, locks."""
