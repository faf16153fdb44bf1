"""What a language model is asked about a conversation, and the check of its answer."""
