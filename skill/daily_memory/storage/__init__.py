"""Our files: the only code that touches the memory on disk."""
