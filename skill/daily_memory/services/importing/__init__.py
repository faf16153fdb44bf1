"""Bring sessions in and take them out."""
