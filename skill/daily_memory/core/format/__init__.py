"""The day file: read, written, edited, merged and moved, as text and lines."""
