"""User objects: a graph and its executables keep them until all are destroyed."""

from __future__ import annotations

import ctypes
import threading
from ctypes import c_int, c_uint, c_uint64, c_void_p

import pytest

from support.sim_driver import SimDriver

Destructor = ctypes.CFUNCTYPE(None, c_void_p)
INVALID = 1
NOT_PERMITTED = 800
THREAD_LOCAL = 1


class Params(ctypes.Structure):
    """CUDA_GRAPH_INSTANTIATE_PARAMS."""

    _fields_ = [
        ("flags", c_uint64),
        ("upload_stream", c_void_p),
        ("error_node", c_void_p),
        ("result", c_int),
    ]


class Seen:
    """An object of the program, and what its destructor was given."""

    def __init__(self, driver: SimDriver, references: int = 1) -> None:
        self.data: list[int] = []
        self.keep = Destructor(self.data.append)
        self.handle = c_void_p()
        driver.call(
            "cuUserObjectCreate",
            *(ctypes.byref(self.handle), c_void_p(77), self.keep, c_uint(references), c_uint(1)),
        )


def captured(driver: SimDriver) -> c_void_p:
    stream, graph, memory = driver.stream(), c_void_p(), driver.allocate(64)
    driver.call("cuStreamBeginCapture_v2", stream, THREAD_LOCAL)
    driver.fill(memory, 1, 16, stream)
    driver.call("cuStreamEndCapture", stream, ctypes.byref(graph))
    return graph


def instantiate(driver: SimDriver, graph: c_void_p, flags: int = 0, status: int = 0) -> c_void_p:
    ready, params = c_void_p(), Params(flags)
    driver.call(
        "cuGraphInstantiateWithParams",
        *(ctypes.byref(ready), graph, ctypes.byref(params)),
        status=status,
    )
    assert params.result == (0 if status == 0 else 1)
    return ready


@pytest.mark.parametrize("moves", [False, True])
def test_the_last_owner_destroys_it(driver: SimDriver, moves: bool) -> None:
    driver.start("T4")
    graph, seen = captured(driver), Seen(driver)
    driver.call("cuGraphRetainUserObject", graph, seen.handle, c_uint(1), c_uint(int(moves)))
    if not moves:
        driver.call("cuUserObjectRelease", seen.handle, c_uint(1))
    ready = instantiate(driver, graph, flags=2)
    driver.call("cuGraphDestroy", graph)
    driver.call("cuGraphLaunch", ready, driver.stream())
    driver.call("cuCtxSynchronize")
    assert seen.data == []
    driver.call("cuGraphExecDestroy", ready)
    assert seen.data == [77]
    driver.call("cuUserObjectRetain", seen.handle, c_uint(1), status=INVALID)


def test_references_are_counted(driver: SimDriver) -> None:
    driver.start("T4")
    graph, seen = captured(driver), Seen(driver, 2)
    driver.call("cuUserObjectRetain", seen.handle, c_uint(3))
    driver.call("cuGraphRetainUserObject", graph, seen.handle, c_uint(2), c_uint(0))
    driver.call("cuGraphReleaseUserObject", graph, seen.handle, c_uint(3), status=INVALID)
    driver.call("cuGraphReleaseUserObject", graph, seen.handle, c_uint(1))
    driver.call("cuUserObjectRelease", seen.handle, c_uint(5))
    assert seen.data == []
    driver.call("cuUserObjectRelease", seen.handle, c_uint(2), status=INVALID)
    driver.call("cuGraphReleaseUserObject", graph, seen.handle, c_uint(1))
    assert seen.data == [77]


def test_an_update_takes_the_new_graphs_objects(driver: SimDriver) -> None:
    driver.start("T4")
    graphs, objects = [captured(driver) for _ in range(2)], [Seen(driver) for _ in range(2)]
    for graph, seen in zip(graphs, objects, strict=True):
        driver.call("cuGraphRetainUserObject", graph, seen.handle, c_uint(1), c_uint(1))
    ready = instantiate(driver, graphs[0])
    driver.call("cuGraphExecUpdate_v2", ready, graphs[1], None)
    for graph in graphs:
        driver.call("cuGraphDestroy", graph)
    assert [seen.data for seen in objects] == [[77], []]
    driver.call("cuGraphExecDestroy", ready)
    assert objects[1].data == [77]


def test_queued_work_keeps_it(driver: SimDriver) -> None:
    driver.start("T4")
    opened, stream = threading.Event(), driver.stream()
    gate = Destructor(lambda _: opened.wait(30) and None)
    graph, seen = captured(driver), Seen(driver)
    driver.call("cuGraphRetainUserObject", graph, seen.handle, c_uint(1), c_uint(1))
    ready = instantiate(driver, graph)
    driver.call("cuLaunchHostFunc", stream, gate, None)
    driver.call("cuGraphLaunch", ready, stream)
    driver.call("cuGraphExecDestroy", ready)
    driver.call("cuGraphDestroy", graph)
    assert seen.data == []
    opened.set()
    driver.call("cuStreamSynchronize", stream)
    assert seen.data == [77]


def test_a_graph_that_captured_a_launch_keeps_it(driver: SimDriver) -> None:
    driver.start("T4")
    inner, seen, stream, outer = captured(driver), Seen(driver), driver.stream(), c_void_p()
    driver.call("cuGraphRetainUserObject", inner, seen.handle, c_uint(1), c_uint(1))
    ready = instantiate(driver, inner)
    driver.call("cuStreamBeginCapture_v2", stream, THREAD_LOCAL)
    driver.call("cuGraphLaunch", ready, stream)
    driver.call("cuStreamEndCapture", stream, ctypes.byref(outer))
    driver.call("cuGraphExecDestroy", ready)
    driver.call("cuGraphDestroy", inner)
    ready = instantiate(driver, outer)
    driver.call("cuGraphDestroy", outer)
    for _ in range(3):
        driver.call("cuGraphLaunch", ready, stream)
    driver.call("cuStreamSynchronize", stream)
    assert seen.data == []
    driver.call("cuGraphExecDestroy", ready)
    assert seen.data == [77]


def test_a_destructor_may_not_call_the_driver(driver: SimDriver) -> None:
    driver.start("T4")
    graphs, stream, got = [captured(driver) for _ in range(2)], driver.stream(), []
    launch = driver.library.cuGraphLaunch
    destroy = Destructor(lambda _: got.append(launch(ready, stream)))
    handle = c_void_p()
    driver.call("cuUserObjectCreate", ctypes.byref(handle), None, destroy, c_uint(1), c_uint(1))
    driver.call("cuGraphRetainUserObject", graphs[0], handle, c_uint(1), c_uint(1))
    ready = instantiate(driver, graphs[0])
    driver.call("cuGraphDestroy", graphs[0])
    driver.call("cuGraphExecUpdate_v2", ready, graphs[1], None)
    assert got == [NOT_PERMITTED]
    driver.call("cuGraphLaunch", ready, stream)
    driver.call("cuStreamSynchronize", stream)


def test_wrong_arguments(driver: SimDriver) -> None:
    driver.start("T4")
    graph, made = captured(driver), c_void_p()
    keep = Destructor(lambda _: None)
    for destroy, references, flags in (
        (None, 1, 1),
        (keep, 0, 1),
        (keep, 1, 0),
        (keep, 1 << 31, 1),
    ):
        values = (ctypes.byref(made), None, destroy, c_uint(references), c_uint(flags))
        driver.call("cuUserObjectCreate", *values, status=INVALID)
    unknown = c_void_p(0x5C000010)
    driver.call("cuUserObjectRelease", unknown, c_uint(1), status=INVALID)
    driver.call("cuGraphRetainUserObject", graph, unknown, c_uint(1), c_uint(0), status=INVALID)
    driver.call("cuGraphRetainUserObject", unknown, made, c_uint(1), c_uint(0), status=INVALID)
    instantiate(driver, graph, flags=4, status=INVALID)
    instantiate(driver, unknown, status=INVALID)
    driver.call("cuGraphInstantiateWithParams", ctypes.byref(made), graph, None, status=INVALID)
