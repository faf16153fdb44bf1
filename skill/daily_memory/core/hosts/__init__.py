"""The supported assistants: their events, and their files."""
