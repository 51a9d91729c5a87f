"""gpukit with other libraries, one module each: `gpukit.interop.dask`.

Memory that is shared with NumPy, torch and Arrow needs none of these: see docs/interoperation.md.
"""
