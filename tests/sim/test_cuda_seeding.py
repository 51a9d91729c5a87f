"""Seeds and states in torch.cuda's names: one generator serves the CPU and all GPUs."""

from __future__ import annotations

import pytest

import gpukit

DRAWS = [lambda d: gpukit.rand(3, device=d), lambda d: gpukit.randperm(50, device=d)]


@pytest.mark.parametrize("draw", DRAWS)
def test_the_state_of_a_device_brings_its_numbers_back(draw):
    for device in ("cuda", 1, gpukit.device("cuda:1")):
        state = gpukit.cuda.get_rng_state(device)
        assert (state.dtype, state.device.type) == (gpukit.uint8, "cpu")
        first = draw("cuda:1")
        gpukit.cuda.set_rng_state(state, device)
        assert gpukit.equal(draw("cuda:1"), first)


def test_the_states_of_all_devices_are_one_each():
    gpukit.cuda.manual_seed_all(11)
    assert gpukit.cuda.initial_seed() == 11
    states = gpukit.cuda.get_rng_state_all()
    assert len(states) == 2
    first = gpukit.rand(3, device="cuda:1")
    gpukit.cuda.set_rng_state_all(states)
    assert gpukit.equal(gpukit.rand(3, device="cuda:1"), first)
    gpukit.cuda.seed_all()
    assert gpukit.cuda.initial_seed() != 11


def test_states_that_differ_are_refused_and_nothing_is_changed():
    one = gpukit.cuda.get_rng_state()
    gpukit.rand(3)
    other = gpukit.cuda.get_rng_state()
    with pytest.raises(gpukit.ArgumentError, match="2 states that differ"):
        gpukit.cuda.set_rng_state_all([one, other])
    assert gpukit.equal(gpukit.cuda.get_rng_state(), other)
    with pytest.raises(TypeError):
        gpukit.cuda.set_rng_state_all([3])
    with pytest.raises(gpukit.DeviceNotFoundError, match="get_rng_state"):
        gpukit.cuda.get_rng_state("cuda:2")
    with pytest.raises(gpukit.InvalidDeviceError):
        gpukit.cuda.set_rng_state(one, "cpu")


def test_without_a_gpu_the_list_is_empty(monkeypatch):
    monkeypatch.setattr("gpukit._system.counting.device_count", lambda: 0)
    assert gpukit.cuda.get_rng_state_all() == []
    gpukit.cuda.set_rng_state_all([])


@pytest.mark.parametrize("state", [[300], [[1, 2]], [1.5]])
def test_what_is_no_state_is_a_type_error(state):
    with pytest.raises(TypeError, match=r"get_state\(\)"):
        gpukit.cuda.set_rng_state_all([gpukit.tensor(state)])
