"""What a user says to the memory itself."""
