"""The HTTP door: `memory serve`, for the user's own programs and browser on this machine.

`routes.py` has the one table of what can be asked; `guard.py` lets in only who may ask; `server.py`
listens. Nothing of it is loaded by any other command.
"""
