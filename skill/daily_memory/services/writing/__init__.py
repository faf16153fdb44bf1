"""Save conversations: hooks, live sessions, digests."""
