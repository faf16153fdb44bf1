"""What is shown as a whole: the report, and sessions as one HTML page."""
