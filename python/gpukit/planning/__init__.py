"""Planning: will a model fit, and what another card would take."""
