"""What happens to a memory when things go wrong; `scripts/bench/soak.py` is the long form."""
