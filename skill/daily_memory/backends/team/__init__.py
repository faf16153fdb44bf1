"""The database that a team shares: PostgreSQL."""
