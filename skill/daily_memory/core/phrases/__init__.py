"""What a user says to the memory in plain words."""
