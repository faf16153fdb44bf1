"""Files of other programs, read only."""
