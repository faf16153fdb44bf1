"""Hosts whose payloads differ from Claude Code's: one module each, loaded for that host alone.

`common` returns a payload in the form that `events` reads. Where a host tells the rest only in its
transcript, `read_end` returns the last bytes of that file.
"""
