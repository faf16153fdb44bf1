"""Engines that are not ours: one module each, loaded when it is chosen."""
