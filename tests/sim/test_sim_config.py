"""What `simulate()` and GPUKIT_SIMULATE can say, and what the devices then tell of themselves."""

from __future__ import annotations

import ctypes

import pytest

from support.sim_driver import SimDriver

COMPUTE_MAJOR, COMPUTE_MINOR, MULTIPROCESSORS = 75, 76, 16
MEMORY_CLOCK, BUS_WIDTH, OPTIN_SHARED, MEMORY_POOLS = 36, 37, 97, 115


def test_says_that_it_is_a_simulator(driver: SimDriver) -> None:
    assert driver.library.gpukitSimVersion()
    driver.start("T4")
    assert driver.name() == "Tesla T4 (simulated)"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("2xT4", ["Tesla T4 (simulated)"] * 2),
        ("t4", ["Tesla T4 (simulated)"]),
        ("Tesla T4", ["Tesla T4 (simulated)"]),
        ("3", ["Tesla T4 (simulated)"] * 3),
        ("rtx 3090", ["NVIDIA GeForce RTX 3090 (simulated)"]),
        ("2x3090", ["NVIDIA GeForce RTX 3090 (simulated)"] * 2),
        ("a100-80gb", ["NVIDIA A100-SXM4-80GB (simulated)"]),
        ("L4", ["NVIDIA L4 (simulated)"]),
        ("l40s", ["NVIDIA L40S (simulated)"]),
        ("1xT4+1xA100", ["Tesla T4 (simulated)", "NVIDIA A100-SXM4-40GB (simulated)"]),
    ],
)
def test_names_of_cards(driver: SimDriver, text: str, names: list[str]) -> None:
    driver.start(text)
    assert [driver.name(i) for i in range(len(driver.contexts))] == names


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("2xT5", "there is no card 'T5'. Did you mean 'T4'"),
        ("nothing like it", "Known: K80"),
        ("T4,T4", "named twice"),
        ("0xT4", "must be 1 or more"),
        ("65xT4", "at most 64"),
        ("T4,memm=3", "there is no setting 'memm'. Did you mean 'mem'?"),
        ("T4,mem=much", "mem cannot be 'much'"),
        ("T4,link_gbps=-1", "link_gbps cannot be '-1'"),
        ("T4,order=sideways", "order cannot be 'sideways'"),
        ("T4,fault=fire", "known faults: driver_too_old"),
        ("T4,fault=oom@0", "counts from 1"),
        ("T4,fault=fail:cuInit", "fail:NAME:CODE@K"),
    ],
)
def test_bad_text_is_refused_and_changes_nothing(driver: SimDriver, text: str, part: str) -> None:
    driver.start("A100")
    assert part in driver.configure(text)
    assert driver.name() == "NVIDIA A100-SXM4-40GB (simulated)"


def test_every_card_has_plausible_properties(driver: SimDriver) -> None:
    cards = driver.library.gpukitSimCards().decode().split("\n")
    assert len(cards) >= 20
    assert len(set(cards)) == len(cards)
    for card in cards:
        driver.start(f"{card},mem=1MiB")
        assert driver.name().endswith(" (simulated)")
        assert 3 <= driver.attribute(COMPUTE_MAJOR) <= 12
        assert 1 <= driver.attribute(MULTIPROCESSORS) <= 200
        bandwidth = 2 * driver.attribute(MEMORY_CLOCK) * 1e3 * driver.attribute(BUS_WIDTH) / 8
        assert 40e9 < bandwidth < 8e12
        assert 48 * 1024 <= driver.attribute(OPTIN_SHARED) <= 227 * 1024


def test_t4_is_a_t4(driver: SimDriver) -> None:
    driver.start("T4")
    assert (driver.attribute(COMPUTE_MAJOR), driver.attribute(COMPUTE_MINOR)) == (7, 5)
    assert driver.attribute(MULTIPROCESSORS) == 40
    assert driver.attribute(OPTIN_SHARED) == 64 * 1024
    size = ctypes.c_size_t()
    driver.call("cuDeviceTotalMem_v2", ctypes.byref(size), 0)
    assert 14 << 30 < size.value < 15 << 30


def test_memory_can_be_set(driver: SimDriver) -> None:
    driver.start("T4,mem=0.5GiB")
    size = ctypes.c_size_t()
    driver.call("cuDeviceTotalMem_v2", ctypes.byref(size), 0)
    assert size.value == 512 << 20


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("T4", 13000),
        ("H100+B200", 13000),
        ("T4+V100", 12080),
        ("V100,driver=13000", 13000),
        ("T4,driver=12080", 12080),
    ],
)
def test_a_driver_is_one_for_the_compilers_of_its_cards(
    driver: SimDriver, text: str, version: int
) -> None:
    """NVRTC 13 writes PTX that no driver for CUDA 12 takes, and none for cards before Turing."""
    assert driver.configure(text) == ""
    found = ctypes.c_int()
    driver.call("cuDriverGetVersion", ctypes.byref(found))
    assert found.value == version


def test_an_old_driver_knows_fewer_attributes(driver: SimDriver) -> None:
    driver.start("T4,driver=12080")
    assert driver.attribute(MEMORY_POOLS) == 1
    driver.start("T4,driver=11010")
    value = ctypes.c_int()
    driver.call("cuDeviceGetAttribute", ctypes.byref(value), MEMORY_POOLS, 0, status=1)
    driver.call("cuDeviceGetAttribute", ctypes.byref(value), 9999, 0, status=1)


def test_devices_can_be_told_apart(driver: SimDriver) -> None:
    driver.start("2xT4")
    uuids, buses = set(), set()
    for device in range(2):
        uuid = ctypes.create_string_buffer(16)
        driver.call("cuDeviceGetUuid_v2", uuid, device)
        uuids.add(uuid.raw)
        bus = ctypes.create_string_buffer(20)
        driver.call("cuDeviceGetPCIBusId", bus, 20, device)
        buses.add(bus.value)
    assert len(uuids) == len(buses) == 2
    assert b"0000:04:00.0" in buses


@pytest.mark.parametrize(
    ("version", "suffix"), [(11000, ""), (12000, ""), (12080, "_v2"), (13000, "_v2")]
)
def test_lookup_gives_the_newest_form_both_sides_know(
    driver: SimDriver, version: int, suffix: str
) -> None:
    driver.configure("T4,driver=13000")
    address, found = ctypes.c_void_p(), ctypes.c_int(-1)
    arguments = (ctypes.byref(address), version, ctypes.c_uint64(0), ctypes.byref(found))
    driver.call("cuGetProcAddress_v2", b"cuEventElapsedTime", *arguments)
    wanted = getattr(driver.library, "cuEventElapsedTime" + suffix)
    assert (address.value, found.value) == (ctypes.cast(wanted, ctypes.c_void_p).value, 0)
    driver.call("cuGetProcAddress_v2", b"cuNoSuchThing", *arguments, status=500)
    assert found.value == 1


def test_status_codes_have_names(driver: SimDriver) -> None:
    name = ctypes.c_char_p()
    driver.call("cuGetErrorName", 700, ctypes.byref(name))
    assert name.value == b"CUDA_ERROR_ILLEGAL_ADDRESS"
    driver.call("cuGetErrorString", 2, ctypes.byref(name))
    assert name.value == b"out of memory"
    driver.call("cuGetErrorName", 12345, ctypes.byref(name), status=1)
    assert name.value is None
