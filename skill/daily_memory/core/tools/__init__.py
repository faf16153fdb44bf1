"""The tools that assistants use: what the record of a conversation keeps of each use."""
