"""What other programs keep, read as ours."""
