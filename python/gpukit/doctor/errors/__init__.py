"""Error texts that people paste: which phrase names which cause, how surely, and what to do."""
