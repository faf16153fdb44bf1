"""What a search knows: terms, questions, scores and their order."""
