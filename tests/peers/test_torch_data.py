"""Samplers, data sets and loaders beside torch's."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
import torch

import gpukit

MODULES = (gpukit, torch)


def data_of(m):
    return importlib.import_module(f"{m.__name__}.utils.data")


def plain(value):
    if hasattr(value, "tolist"):
        return (type(value).__name__.lower(), value.tolist())
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def counting(d):
    class Count(d.IterableDataset):
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            return iter(range(self.n))

    return Count


CALLS = {
    "sequential": lambda m, d: list(d.SequentialSampler(range(5))),
    "batches": lambda m, d: list(d.BatchSampler(d.SequentialSampler(range(7)), 3, False)),
    "batches dropped": lambda m, d: list(d.BatchSampler(range(7), 3, True)),
    "lengths": lambda m, d: [
        len(d.BatchSampler(d.SequentialSampler(range(7)), 3, True)),
        len(d.BatchSampler(d.SequentialSampler(range(7)), 3, False)),
        len(d.RandomSampler(range(7))),
        len(d.RandomSampler(range(7), num_samples=20)),
        len(d.WeightedRandomSampler([1.0, 2.0], 9)),
        len(d.SubsetRandomSampler([3, 1, 2])),
    ],
    "random": lambda m, d: sorted(d.RandomSampler(range(7))),
    "random more": lambda m, d: sorted(d.RandomSampler(range(3), num_samples=6)),
    "subset": lambda m, d: sorted(d.SubsetRandomSampler([9, 4, 6])),
    "weights": lambda m, d: list(d.WeightedRandomSampler([0.0, 3.0, 0.0], 4)),
    "weights once": lambda m, d: sorted(d.WeightedRandomSampler([1.0, 3.0, 0.5], 3, False)),
    "concatenated": lambda m, d: [
        d.ConcatDataset([[1, 2], [3], [4, 5, 6]])[i] for i in range(-6, 6)
    ],
    "added": lambda m, d: list(d.TensorDataset(m.ones(2)) + d.TensorDataset(m.zeros(1))),
    "sizes": lambda m, d: d.ConcatDataset([[1, 2], [3]]).cumulative_sizes,
    "chained": lambda m, d: list(counting(d)(3) + counting(d)(2)),
    "stacked": lambda m, d: d.StackDataset([1, 2], [3, 4])[1],
    "stacked by name": lambda m, d: d.StackDataset(a=[1, 2], b=[3, 4])[0],
    "converted": lambda m, d: d.default_convert({"a": np.ones(2), "b": ("x", 3, [np.zeros(1)])}),
    "collated": lambda m, d: d.default_collate(
        [{"a": 1, "b": (2.0, "x")}, {"a": 3, "b": (4.0, "y")}]
    ),
    "loader": lambda m, d: list(d.DataLoader(range(7), 3)),
    "loader dropped": lambda m, d: list(d.DataLoader(range(7), 3, drop_last=True)),
    "loader of a sampler": lambda m, d: list(d.DataLoader(range(9), 2, False, [8, 0, 4])),
    "loader of batches": lambda m, d: list(
        d.DataLoader(range(9), batch_sampler=[[1, 2], [5], [0, 3, 8]])
    ),
    "loader of lists": lambda m, d: list(
        d.DataLoader(m.arange(9), batch_size=None, sampler=d.BatchSampler(range(9), 4, False))
    ),
    "loader without batches": lambda m, d: list(d.DataLoader([1, np.ones(2), "x"], None)),
    "loader of a stream": lambda m, d: list(d.DataLoader(counting(d)(7), 3)),
    "loader of a stream dropped": lambda m, d: list(
        d.DataLoader(counting(d)(7), 3, drop_last=True)
    ),
    "loader of a stream without batches": lambda m, d: list(d.DataLoader(counting(d)(3), None)),
    "loader that collates": lambda m, d: list(d.DataLoader(range(5), 2, collate_fn=sum)),
    "loader of rows": lambda m, d: list(
        d.DataLoader(d.TensorDataset(m.arange(5), m.arange(5) * 2), batch_sampler=[[4, 0], [2]])
    ),
    "loader lengths": lambda m, d: [
        len(d.DataLoader(range(7), 3)),
        len(d.DataLoader(range(7), None)),
        len(d.DataLoader(range(7), batch_sampler=[[1], [2], [3]])),
        len(d.DataLoader(range(7), 2, sampler=[1, 2, 3])),
    ],
    "no worker": lambda m, d: d.get_worker_info(),
    "generic": lambda m, d: [d.Dataset[int] is not None, d.Sampler[int] is not None],
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_the_same_as_torch(name):
    mine, theirs = (plain(CALLS[name](m, data_of(m))) for m in MODULES)
    assert mine == theirs


WRONG = {
    "two orders": lambda m, d: d.DataLoader(range(3), shuffle=True, sampler=[1]),
    "batch_sampler and size": lambda m, d: d.DataLoader(range(3), 2, batch_sampler=[[1]]),
    "batch_sampler and shuffle": lambda m, d: d.DataLoader(
        range(3), shuffle=True, batch_sampler=[[1]]
    ),
    "stream shuffled": lambda m, d: d.DataLoader(counting(d)(3), shuffle=True),
    "stream sampled": lambda m, d: d.DataLoader(counting(d)(3), sampler=[1]),
    "no batches dropped": lambda m, d: d.DataLoader(range(3), None, drop_last=True),
    "batch size 0": lambda m, d: d.BatchSampler(range(3), 0, False),
    "drop_last 1": lambda m, d: d.BatchSampler(range(3), 2, 1),
    "num_samples 0": lambda m, d: d.RandomSampler(range(3), num_samples=0),
    "replacement 1": lambda m, d: d.RandomSampler(range(3), replacement=1),
    "weights 2d": lambda m, d: d.WeightedRandomSampler([[1.0]], 1),
    "nothing to join": lambda m, d: d.StackDataset([1], [1, 2]),
    "no set": lambda m, d: d.StackDataset(),
    "out of range": lambda m, d: d.ConcatDataset([[1]])[-2],
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_calls(name):
    with pytest.raises((ValueError, TypeError)) as theirs:
        WRONG[name](torch, data_of(torch))
    with pytest.raises(theirs.type):
        WRONG[name](gpukit, data_of(gpukit))


def test_generators_and_epochs():
    d = data_of(gpukit)
    orders = []
    for _ in range(2):
        generator = gpukit.Generator().manual_seed(3)
        sampler = d.RandomSampler(range(50), generator=generator)
        orders.append([list(sampler), list(sampler)])
    assert orders[0] == orders[1]
    assert orders[0][0] != orders[0][1]
    drawn = list(d.RandomSampler(range(4), replacement=True, num_samples=400))
    assert len(drawn) == 400
    assert set(drawn) == {0, 1, 2, 3}


def test_prefetching_streams_end_and_fail_as_they_are():
    d = data_of(gpukit)

    class Breaks(d.IterableDataset):
        def __iter__(self):
            yield 1
            raise KeyError("mine")

    loader = d.DataLoader(Breaks(), 1)
    with pytest.raises(KeyError, match="mine"):
        list(loader)
    loader = d.DataLoader(counting(d)(1000), 10)
    assert next(iter(loader)).tolist() == [*range(10)]


def test_a_loader_names_its_samplers():
    def run(m):
        data = m.utils.data
        loaders = [
            data.DataLoader(range(5), batch_size=2, drop_last=True),
            data.DataLoader(range(5), shuffle=True),
            data.DataLoader(range(5), batch_size=None),
            data.DataLoader(range(5), batch_sampler=[[0], [1, 2]]),
            data.DataLoader(range(5), sampler=[3, 1]),
        ]
        kinds = [
            [type(each).__name__ for each in (loader.sampler, loader.batch_sampler)]
            for loader in loaders
        ]
        return kinds, [len(loader) for loader in loaders], list(loaders[0].batch_sampler)

    assert run(gpukit) == run(torch)
