"""Pure text and numbers: no disk, clock, environment, randomness, process or network."""
