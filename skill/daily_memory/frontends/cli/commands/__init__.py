"""One module a command: `EXAMPLES`, `add_arguments`, `run`."""
