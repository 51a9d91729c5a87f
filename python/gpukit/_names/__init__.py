"""Names: what to say about a mistyped or missing one, numbers with nouns, old module paths."""
