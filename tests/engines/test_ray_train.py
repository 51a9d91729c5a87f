"""Ray Train: workers that are killed are started again and go on from the last checkpoint."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import ray
from ray.util.placement_group import PlacementGroup

import gpukit
from support.mode import PROJECT

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.long,
    pytest.mark.timeout(560),
]


@pytest.fixture(scope="module")
def example() -> Iterator[ModuleType]:
    """The example, with its cluster started."""
    path = PROJECT / "examples" / "scale_out" / "train_ray_train.py"
    specification = importlib.util.spec_from_file_location("train_ray_train", path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[module.__name__] = module
    specification.loader.exec_module(module)
    ray.cloudpickle.register_pickle_by_value(module)
    module.start()
    yield module
    end()


def end() -> None:
    """Stop the cluster. Ray leaves a trainer's controller running now and then."""
    import psutil

    started = psutil.Process().children(recursive=True)
    ray.shutdown()
    for each in psutil.wait_procs(started, timeout=5)[1]:
        with contextlib.suppress(psutil.Error):
            each.kill()


@pytest.fixture(scope="module")
def wanted(example: ModuleType, tmp_path_factory) -> dict[str, gpukit.Tensor]:
    """What an undisturbed run gives."""
    return example.fit(str(tmp_path_factory.mktemp("whole")))


def workers() -> list[int]:
    """Process numbers of the workers that train, of this cluster alone."""
    import psutil

    found = []
    for each in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if each.name().startswith("ray::RayTrainWo"):
                found.append(each.pid)
    return found


@pytest.fixture(autouse=True)
def _nothing_stays_reserved() -> Iterator[None]:
    """Ray Train waits without end for processors that a killed start of workers keeps reserved."""
    yield
    for number in ray.util.placement_group_table():
        group = PlacementGroup(ray.PlacementGroupID.from_hex(number))
        ray.util.remove_placement_group(group)


@pytest.mark.parametrize("seed", range(4))
def test_killed_workers_lose_nothing(seed: int, example, wanted, tmp_path: Path) -> None:
    """Five kills at random moments of each of four runs."""
    draw, ended, killed = np.random.default_rng(seed), threading.Event(), []

    def kill() -> None:
        while len(killed) < 5 and not ended.wait(float(draw.uniform(0.2, 3.0))):
            if found := workers():
                pid = int(draw.choice(found))
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        found = example.fit(str(tmp_path))
    finally:
        ended.set()
        thread.join()
    assert killed
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        assert gpukit.equal(found[name], value), name
