"""Pages to read in a browser, and the report."""
