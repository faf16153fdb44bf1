"""Embedding models, one module each: local ones, and servers over plain HTTP."""
