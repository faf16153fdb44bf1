"""What must not be written down: found, and hidden behind marks."""
