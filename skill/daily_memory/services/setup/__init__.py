"""Set up: init, install, settings, projects, git, encryption."""
