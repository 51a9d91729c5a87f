"""Arguments by name: what torch's functions take, those of gpukit take too."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import pytest
import torch

import gpukit

MODULES = """
amp autograd autograd.functional cuda cuda.amp cuda.nvtx distributed distributions func nn
nn.functional nn.init nn.utils nn.utils.parametrizations nn.utils.parametrize nn.utils.rnn optim
optim.lr_scheduler profiler random testing utils.checkpoint utils.data
""".split()  # noqa: SIM905

# What gpukit does not take, and why.
INTERNAL = {"_stacklevel", "_caller", "_devices_kw", "_ranks", "_preallocate_and_copy", "orig_func"}
DIFFERENT = {
    "autograd.backward": {"grad_variables"},  # deprecated since torch 0.4
    "autograd.gradcheck": {"check_batched_forward_grad", "check_forward_ad", "check_backward_ad"},
    "autograd.gradgradcheck": {  # the weights of gpukit are its own
        "grad_outputs", "gen_non_contig_grad_outputs", "check_fwd_over_rev", "check_rev_over_rev",
    },
    "cuda.memory_snapshot": {"include_traces", "mempool_id"},
    "cuda.graph": {"enable_annotations", "check_input_liveness"},
    "distributed.all_to_all_single": {"output_split_sizes", "input_split_sizes"},
    "distributed.barrier": {"device_ids", "timeout"},
    "distributed.new_group": {  # of NCCL and of torch's own store
        "pg_options", "use_local_synchronization", "group_desc", "device_id", "sort_ranks",
    },
    "func.jacrev": {"chunk_size"},
    "nn.UninitializedBuffer": {"persistent"},
    "nn.functional.huber_loss": {"weight"},
    "nn.functional.l1_loss": {"weight"},
    "nn.functional.mse_loss": {"weight"},
    "testing.assert_close": {"allow_subclasses", "check_layout", "check_stride"},
}  # fmt: skip


def named(function: Any) -> dict[str, inspect.Parameter] | None:
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None


def pairs() -> Iterator[tuple[str, Any, Any]]:
    for path in MODULES:
        theirs = importlib.import_module(f"torch.{path}")
        mine = importlib.import_module(f"gpukit.{path}")
        for name in dir(theirs):
            if name.startswith("_") or not hasattr(mine, name):
                continue
            own, other = getattr(mine, name), getattr(theirs, name)
            if callable(other) and own is not other and takes_names(own) and named(other):
                yield f"{path}.{name}", own, other


def takes_names(function: Any) -> bool:
    """Whether its signature says which."""
    own = named(function)
    return own is not None and all(each.kind is not each.VAR_KEYWORD for each in own.values())


def lacking(mine: Any, theirs: Any) -> set[str]:
    own, wanted = named(mine) or {}, named(theirs) or {}
    older = getattr(mine, "earlier_names", getattr(mine.__init__, "earlier_names", set()))
    return {
        name
        for name, each in wanted.items()
        if each.kind not in {each.VAR_POSITIONAL, each.VAR_KEYWORD, each.POSITIONAL_ONLY}
        if name not in own and name not in INTERNAL and name not in older
    }


@pytest.mark.parametrize(
    ("path", "mine", "theirs"), list(pairs()), ids=lambda v: v if isinstance(v, str) else ""
)
def test_names_of_arguments(path, mine, theirs):
    assert lacking(mine, theirs) == DIFFERENT.get(path, set())


@pytest.mark.parametrize("name", ["d", "device"])
def test_earlier_names_are_still_taken(name):
    assert gpukit.cuda.memory_allocated(**{name: 0}) == gpukit.cuda.memory_allocated(0)
    with gpukit.cuda.device(**{name: 0}):
        assert gpukit.cuda.current_device() == 0


def test_a_comparison_with_all_its_arguments():
    close = gpukit.testing.assert_close
    close(actual=gpukit.ones(2), expected=[1.0, 1.0], check_dtype=False, msg="no")
    for arguments, text in (
        (
            {"check_dtype": True},
            "assert_close: the dtypes gpukit.float32 and gpukit.float64 differ",
        ),
        ({"check_dtype": True, "msg": "mine"}, "mine"),
        ({"check_dtype": True, "msg": lambda text: text.upper()}, "ASSERT_CLOSE: THE DTYPES"),
    ):
        with pytest.raises(AssertionError, match=text):
            close(gpukit.ones(2), gpukit.ones(2, dtype=gpukit.float64), **arguments)


def test_gradients_are_checked_by_torchs_names():
    x = gpukit.rand(3, dtype=gpukit.float64, requires_grad=True)
    options = {"eps": 1e-6, "atol": 1e-4, "fast_mode": True, "nondet_tol": 0.0}
    assert gpukit.autograd.gradcheck(func=gpukit.exp, inputs=(x,), **options)
    assert gpukit.autograd.gradgradcheck(fn=gpukit.exp, inputs=(x,), **options)
    y = torch.rand(3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(func=torch.exp, inputs=(y,), **options)


def test_both_names_of_an_argument_are_one_too_many():
    with pytest.raises(TypeError, match="'d'"):
        gpukit.cuda.memory_allocated(d=0, device=0)


def test_most_functions_are_compared():
    assert len(list(pairs())) >= 450


CLASSES = "nn utils.data optim optim.lr_scheduler".split()  # noqa: SIM905
# Methods that torch has and gpukit lacks: other hardware, its own internals, what is deprecated.
NO_METHOD = """
ipu mtia xpu compile share_memory register_backward_hook replicate scatter gather parallel_apply
check_forward_args check_hidden_size check_input get_expected_hidden_size get_expected_cell_size
permute_hidden merge_masks fromkeys popitem cls_to_become check_worker_number_rationality
OptimizerPostHook OptimizerPreHook recursive_undo
""".split()  # noqa: SIM905
OTHER_NAMES = {"Sequential.extend": {"sequential"}, "ReduceLROnPlateau.step": {"epoch"}}


def methods() -> Iterator[tuple[str, Any, Any]]:
    """Methods of torch's classes, with gpukit's class of that name."""
    for path in CLASSES:
        theirs, mine = (importlib.import_module(f"{root}.{path}") for root in ("torch", "gpukit"))
        for name, other in vars(theirs).items():
            own = getattr(mine, name, None)
            if not isinstance(other, type) or not isinstance(own, type) or name == "Tensor":
                continue
            for base in other.__mro__:
                if base.__module__.startswith("torch.") and "Tensor" not in base.__name__:
                    for method, value in vars(base).items():
                        if inspect.isfunction(value) and not method.startswith("_"):
                            yield f"{name}.{method}", own, value


def test_methods_take_torch_s_names() -> None:
    absent, lacking = set(), {}
    for path, own, other in methods():
        method = path.split(".")[1]
        if not hasattr(own, method):
            absent.add(method)
            continue
        mine, theirs = named(getattr(own, method)), named(other)
        if method == "forward" or mine is None or theirs is None or takes_any(mine):
            continue
        wanted = {key for key, each in theirs.items() if each.kind in {1, 3}}
        if missing := wanted - mine.keys() - OTHER_NAMES.get(path, set()):
            lacking[path] = missing
    assert absent <= set(NO_METHOD)
    assert lacking == {}


def takes_any(parameters: dict[str, inspect.Parameter]) -> bool:
    return any(each.kind is each.VAR_KEYWORD for each in parameters.values())
