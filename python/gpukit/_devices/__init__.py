"""Work with open devices: memory, waits, logs, threads, the self-test."""
