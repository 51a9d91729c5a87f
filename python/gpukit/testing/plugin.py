"""The pytest plugin under the name that `-p gpukit.testing.plugin` loads: `gpukit_pytest`.

pytest loads `gpukit_pytest` by itself where gpukit is installed, without importing gpukit.
"""

pytest_plugins = ("gpukit_pytest.measuring", "gpukit_pytest.simulating", "gpukit_pytest.faults")
