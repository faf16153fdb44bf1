"""What happens to a memory when things go wrong: see docs/ARCHITECTURE.md, Testing reliability."""
