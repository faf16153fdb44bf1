"""Models and databases of others: one module each, loaded when it is chosen."""
