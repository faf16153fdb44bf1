"""The assistants that we join: their events, and their files."""
