"""Set up: init, install, settings, git, encryption."""
