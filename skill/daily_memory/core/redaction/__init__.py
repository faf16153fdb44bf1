"""Finds secrets and personal data, and replaces them by marks."""
