"""The tools that assistants use, and what the record keeps of each call."""
