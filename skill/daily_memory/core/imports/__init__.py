"""What other programs keep, read as sessions."""
