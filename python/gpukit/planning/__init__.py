"""Planning: whether a model fits, and how long it would take on another card."""
