"""The parts of a `Memory`, such as `memory.projects`: verbs that belong together."""
