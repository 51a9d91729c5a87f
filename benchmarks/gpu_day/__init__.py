"""What a day with a GPU shows: `benchmarks/gpu_day.sh` says how to run it."""
