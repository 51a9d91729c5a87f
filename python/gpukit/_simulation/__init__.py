"""Simulated GPUs: of this process, and of other programs through a folder of libraries."""
