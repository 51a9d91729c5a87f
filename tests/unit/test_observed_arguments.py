"""Arguments of observed calls that cannot be: each is a TypeError that says which."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

import gpukit
from gpukit import _core


class Replacing:
    """Goes on with other arguments."""

    def __init__(self, **arguments):
        self.arguments = arguments
        self.names = {}

    def before_operator(self, call):
        call.arguments = {**call.arguments, **self.arguments, **self.names}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("\ud800", r"add: there is no argument '\\ud800' \(str\)"),
        ("oth\udfffer", r"there is no argument 'oth\\udfffer' \(str\).*(It takes|Did you mean)"),
        (5, r"add: there is no argument 5 \(int\)"),
        (None, r"add: there is no argument None"),
        ("othr", "Did you mean 'other'"),
    ],
)
def test_a_name_that_is_no_parameter(name, text):
    observer = Replacing()
    observer.names = {name: 1}
    x = gpukit.ones(2)
    with _core.observe(observer), pytest.raises(TypeError, match=text):
        gpukit.add(x, 1)
    assert gpukit.add(x, 1).tolist() == [2.0, 2.0]


def test_a_lone_surrogate_as_a_keyword():
    with pytest.raises(TypeError, match=r"add: there is no argument '\\ud800'"):
        gpukit.add(gpukit.ones(2), 1, **{"\ud800": 1})
    with pytest.raises((ValueError, TypeError, RuntimeError), match=r"\\ud800"):
        gpukit.ones(2).to("\ud800")


@pytest.mark.parametrize("observed", [False, True])
def test_a_closure_that_is_no_function(observed):
    weight = gpukit.ones(2, requires_grad=True)
    optimizer = gpukit.optim.SGD([weight], lr=0.1)
    weight.sum().backward()
    text = r"SGD.step: closure must be a function .*, got 5 \(int\)"
    if observed:
        with _core.observe(Replacing(closure=5)), pytest.raises(TypeError, match=text):
            optimizer.step()
    else:
        with pytest.raises(TypeError, match=text):
            optimizer.step(5)
    assert weight.tolist() == [1.0, 1.0]


def test_another_thread_ends_an_observation():
    """The observer is released at once, while the thread that it observed lives on."""
    made, end = threading.Event(), threading.Event()
    kept = []

    def observing():
        observer = Replacing()
        kept.append(weakref.ref(observer))
        kept.append(_core.observe(observer))
        del observer
        made.set()
        end.wait()

    thread = threading.Thread(target=observing)
    thread.start()
    made.wait()
    observer, observation = kept
    assert observer() is not None
    observation.stop()
    del observation, kept[:]
    gc.collect()
    assert observer() is None
    end.set()
    thread.join()
