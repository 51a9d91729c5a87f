"""Calls drawn at random over every public function, made in gpukit and in its peer, compared.

`python -m peers.generator --help` (from `tests/`) runs many; `tests/peers/test_generator.py` runs some.
"""
