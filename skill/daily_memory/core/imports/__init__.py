"""Data of other programs, read as sessions."""
