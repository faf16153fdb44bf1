"""The doors: they translate, call one method of `Memory`, and render.

Our errors pass through all of a door: its outer edge, one function each, answers with them.
"""
