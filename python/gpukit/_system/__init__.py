"""What this machine has: files, platform, drivers, libraries, versions, and steps to a GPU."""
