"""HTML pages and the report."""
