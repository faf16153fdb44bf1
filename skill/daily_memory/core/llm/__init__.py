"""Digests by a language model: the question, and the check of the answer."""
