"""The doors: they translate, call one method of `Memory`, and render."""
