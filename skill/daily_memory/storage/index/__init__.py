"""The search index under `index/`, kept up to date with the day files."""
