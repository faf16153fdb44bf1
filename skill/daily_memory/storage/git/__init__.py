"""What git knows of a memory."""
