"""What is wrong with this machine's GPU, and what to do about it."""

from gpukit.doctor.smi_text import SmiGpu, SmiProcess, SmiReport, parse_smi

__all__ = ["SmiGpu", "SmiProcess", "SmiReport", "parse_smi"]
