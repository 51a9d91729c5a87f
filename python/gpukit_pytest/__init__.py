"""gpukit's pytest plugin, in a separate package.

pytest imports it in every project where gpukit is installed, so it imports pytest and the standard
library alone. gpukit, its extension and NumPy are loaded when a test or an option asks for them.
"""

pytest_plugins = ("gpukit_pytest.measuring", "gpukit_pytest.simulating", "gpukit_pytest.faults")
