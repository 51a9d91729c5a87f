"""Parametrized weights, averages and states of generators beside torch's."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch

import gpukit

BOTH = [gpukit, torch]


def layer(library: Any, kind: str = "Linear", *sizes: int) -> Any:
    made = getattr(library.nn, kind)(*(sizes or (3, 2)))
    with library.no_grad():
        for p in made.parameters():
            p.copy_(library.linspace(-1, 1, p.numel()).view(p.shape) + 0.1)
    return made


def values(tensors: Any) -> Any:
    return [number for tensor in tensors for number in tensor.detach().flatten().tolist()]


@pytest.mark.filterwarnings("ignore:`torch.nn.utils.weight_norm` is deprecated")
@pytest.mark.parametrize("dim", [0, 1, None])
@pytest.mark.parametrize("older", [False, True])
def test_weight_norm(dim: int | None, older: bool) -> None:
    seen, numbers = [], []
    for library in BOTH:
        utils = library.nn.utils
        made = (utils if older else utils.parametrizations).weight_norm(layer(library), dim=dim)
        made(library.ones(1, 3)).square().sum().backward()
        seen.append((repr(made), [n for n, _ in made.named_parameters()], list(made.state_dict())))
        numbers.append(values([*made.parameters(), *(p.grad for p in made.parameters())]))
        made.load_state_dict(made.state_dict())
        if older:
            utils.remove_weight_norm(made)
        else:
            utils.parametrize.remove_parametrizations(made, "weight")
        assert type(made).__name__ == "Linear"
        assert values([made.weight]) == pytest.approx(values([layer(library).weight]))
    assert seen[0] == seen[1]
    assert numbers[0] == pytest.approx(numbers[1], abs=1e-5)


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize(("kind", "sizes"), [("Linear", (3, 2)), ("ConvTranspose1d", (2, 3, 2))])
def test_spectral_norm(older: bool, kind: str, sizes: tuple[int, ...]) -> None:
    seen, numbers = [], []
    for library in BOTH:
        utils = library.nn.utils
        made = (utils if older else utils.parametrizations).spectral_norm(
            layer(library, kind, *sizes), n_power_iterations=50
        )
        x = library.ones(1, *sizes[:1], 2) if kind != "Linear" else library.ones(1, 3)
        made(x)
        made.eval()
        made(x).square().sum().backward()
        seen.append((list(made.state_dict()), repr(made)))
        numbers.append(values([made.weight, *(p.grad for p in made.parameters())]))
    assert seen[0] == seen[1]
    assert numbers[0] == pytest.approx(numbers[1], abs=1e-5)


@pytest.mark.parametrize("name", [None, "householder", "cayley", "matrix_exp"])
@pytest.mark.parametrize("trivial", [True, False])
@pytest.mark.parametrize("outputs", [2, 3, 5])
def test_orthogonal_weights_are_torchs(name: str | None, trivial: bool, outputs: int) -> None:
    """From the same parameters and the same base the same weight and gradients."""
    seen, numbers = [], []
    weights = np.random.default_rng(outputs).normal(size=(outputs, 3)).astype("float32")
    for library in BOTH:
        made = library.nn.utils.parametrizations.orthogonal(
            library.nn.Linear(3, outputs), orthogonal_map=name, use_trivialization=trivial
        )
        seen.append((list(made.state_dict()), repr(made)))
        kept = made.parametrizations.weight
        if not trivial:
            with library.no_grad():
                # The diagonal stays, which holds signs.
                kept.original.copy_(library.tensor(weights).tril(-1) + kept.original.triu())
        else:
            base = np.linalg.qr(weights @ weights.T if outputs > 3 else weights.T @ weights)[0]
            kept[0].base = library.tensor(base.astype("float32"))
            with library.no_grad():
                kept.original.copy_(library.tensor(weights).tril(-1) - library.eye(outputs, 3))
        if not trivial and name in {"cayley", "matrix_exp"}:
            with pytest.raises(NotImplementedError):
                made.weight = library.eye(outputs, 3)
            with library.no_grad():
                kept.original.copy_(library.tensor(weights))
        weight = made.weight
        small = weight @ weight.T if outputs < 3 else weight.T @ weight
        assert library.allclose(small, library.eye(min(outputs, 3)), atol=1e-5)
        (weight * library.arange(3.0 * outputs).reshape(outputs, 3)).sum().backward()
        numbers.append(weight.tolist() + kept.original.grad.tolist())
    assert seen[0] == seen[1]
    if trivial or name in {"cayley", "matrix_exp"}:  # else random numbers began it
        np.testing.assert_allclose(numbers[0], numbers[1], atol=1e-4)


def test_orthogonal_weights_start_orthogonal_and_take_values() -> None:
    for library in BOTH:
        made = library.nn.utils.parametrizations.orthogonal(library.nn.Linear(4, 6))
        value = library.linalg.qr(library.rand(6, 4))[0]
        made.weight = value
        assert library.allclose(made.weight, value, atol=1e-5)
        with pytest.raises(ValueError, match="orthogonal_map"):
            library.nn.utils.parametrizations.orthogonal(library.nn.Linear(4, 6), orthogonal_map="")
        with pytest.raises((ValueError, gpukit.DimensionError)):
            library.nn.utils.parametrizations.orthogonal(library.nn.Linear(4, 6), "bias")


def test_parametrizations_that_go_both_ways() -> None:
    for library in BOTH:
        utils = library.nn.utils.parametrize

        class Exp(library.nn.Module):  # type: ignore[name-defined,misc]
            def forward(self, x: Any) -> Any:
                return x.exp()

            def right_inverse(self, x: Any) -> Any:
                return x.log()

        made = library.nn.Linear(2, 1)
        with library.no_grad():
            made.weight.fill_(2.0)
        utils.register_parametrization(made, "weight", Exp())
        assert made.weight.tolist() == [pytest.approx([2.0, 2.0])]
        made.weight = library.full((1, 2), 3.0)
        assert made.parametrizations.weight.original.tolist() == [
            pytest.approx([1.0986, 1.0986], abs=1e-3)
        ]
        with utils.cached():
            assert made.weight is made.weight
        assert made.weight is not made.weight
        other = copy.deepcopy(made)
        assert other.weight.tolist() == made.weight.tolist()
        utils.remove_parametrizations(made, "weight", leave_parametrized=False)
        assert made.weight.tolist() == [pytest.approx([1.0986, 1.0986], abs=1e-3)]
        assert isinstance(made.weight, library.nn.Parameter)
        assert not utils.is_parametrized(made)


def test_refusals() -> None:
    utils = gpukit.nn.utils

    class Shorter(gpukit.nn.Module):
        def forward(self, x: gpukit.Tensor) -> gpukit.Tensor:
            return x[:1]

    with pytest.raises(gpukit.ShapeError, match="Keep both, or pass unsafe=True"):
        utils.parametrize.register_parametrization(layer(gpukit), "weight", Shorter())
    with pytest.raises(ValueError, match="no parameter or buffer 'w'"):
        utils.parametrize.register_parametrization(layer(gpukit), "w", Shorter())
    with pytest.raises(ValueError, match="no parametrization on 'bias'"):
        utils.parametrize.remove_parametrizations(layer(gpukit), "bias")
    with pytest.raises(ValueError, match="no parameter 'w' to take"):
        utils.weight_norm(layer(gpukit), "w")
    with pytest.raises(ValueError, match="of 'weight' not found in Linear"):
        utils.remove_spectral_norm(utils.weight_norm(layer(gpukit)))
    with pytest.raises(ValueError, match="sparsity must be from 0 to 1, got 2"):
        gpukit.nn.init.sparse_(gpukit.zeros(2, 2), 2)
    with pytest.raises(ValueError, match="only one of avg_fn and multi_avg_fn"):
        gpukit.optim.swa_utils.AveragedModel(layer(gpukit), None, lambda *_: 0, lambda *_: None)
    sgd = gpukit.optim.SGD([gpukit.ones(1, requires_grad=True)])
    with pytest.raises(ValueError, match="one of 'cos' or 'linear'"):
        gpukit.optim.swa_utils.SWALR(sgd, 0.1, anneal_strategy="sin")
    with pytest.raises(TypeError, match="results must be Measurements, got int"):
        gpukit.utils.benchmark.Compare([1])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="at least one model"):
        gpukit.func.stack_module_state([])


@pytest.mark.parametrize("strategy", ["cos", "linear"])
@pytest.mark.parametrize("epochs", [0, 1, 3])
def test_rates_of_averaging(strategy: str, epochs: int) -> None:
    rates = []
    for library in BOTH:
        p = [library.nn.Parameter(library.zeros(1)) for _ in range(2)]
        sgd = library.optim.SGD([{"params": p[:1], "lr": 0.5}, {"params": p[1:]}], lr=0.1)
        swa = library.optim.swa_utils.SWALR(sgd, [0.3, 0.2], epochs, strategy)
        rates.append([])
        for _ in range(5):
            rates[-1] += swa.get_last_lr()
            sgd.step()
            swa.step()
    assert rates[0] == pytest.approx(rates[1])


def test_state_of_a_generator_is_a_tensor_of_bytes() -> None:
    state = gpukit.get_rng_state()
    assert state.dtype is gpukit.uint8
    first = gpukit.rand(3)
    for form in (state, bytes(state.tolist())):
        gpukit.set_rng_state(form)
        assert gpukit.equal(gpukit.rand(3), first)
    for wrong in (state[:-1], state.to(gpukit.int64), "state", None):
        with pytest.raises(TypeError, match="what get_"):
            gpukit.set_rng_state(wrong)  # type: ignore[arg-type]
    with gpukit.random.fork_rng(enabled=False):
        inside = gpukit.rand(3)
    assert not gpukit.equal(gpukit.rand(3), inside)


def test_table_of_measurements_is_torchs() -> None:
    tables = []
    for library in BOTH:
        name = "gpukit" if library is gpukit else "torch"
        timer = __import__(f"{name}.utils.benchmark", fromlist=["Timer"])
        found = [
            timer.Timer("1", label="sum", sub_label=rows, description=column, num_threads=threads)
            for rows in ("(9,)", "(12,)")
            for column in ("x.sum()", "sum(x)")
            for threads in (1, 2)
        ]
        measured = [each.timeit(2) for each in found]
        for number, each in enumerate(measured):
            times = each.raw_times
            times[:] = [2e-5 * (number + 1)]
        table = timer.Compare(measured)
        tables.append([line.rstrip() for line in str(table).splitlines()])
    assert tables[0] == tables[1]


def test_an_optimizer_made_before_goes_on_to_train_the_weight() -> None:
    class Doubled:
        def forward(self, x: Any) -> Any:
            return 2 * x

    trained = []
    for library in BOTH:
        made = layer(library)
        sgd = library.optim.SGD(made.parameters(), lr=0.5)
        kind = type("Doubled", (Doubled, library.nn.Module), {})
        library.nn.utils.parametrize.register_parametrization(made, "weight", kind())
        made(library.ones(1, 3)).sum().backward()
        sgd.step()
        trained.append(values([made.weight, made.bias]))
    assert trained[0] == pytest.approx(trained[1])


def test_a_second_parametrization_is_computed_from_the_first() -> None:
    class Exponential:
        def forward(self, x: Any) -> Any:
            return x.exp()

        def right_inverse(self, x: Any) -> Any:
            return x.log()

    found = []
    for library in BOTH:
        made = library.nn.Linear(1, 1)
        with library.no_grad():
            made.weight.fill_(2.0)
        kind = type("Exponential", (Exponential, library.nn.Module), {})
        for _ in range(2):
            library.nn.utils.parametrize.register_parametrization(made, "weight", kind())
        found.append(values([made.weight, made.parametrizations.weight.original]))
    assert found[0] == pytest.approx(found[1])


def test_a_second_parametrization_keeps_the_shape() -> None:
    made = layer(gpukit)
    parametrize = gpukit.nn.utils.parametrize
    parametrize.register_parametrization(made, "weight", gpukit.nn.Identity())
    with pytest.raises(gpukit.ShapeError, match=r"float32 \(6,\) of float32 \(2, 3\)"):
        parametrize.register_parametrization(made, "weight", gpukit.nn.Flatten(0))
    assert made.weight.shape == (2, 3)


@pytest.mark.parametrize("form", ["older", "parametrizations"])
@pytest.mark.parametrize("norm", ["weight_norm", "spectral_norm"])
def test_a_wrong_dimension_leaves_the_module_as_it_is(form: str, norm: str) -> None:
    utils = gpukit.nn.utils
    made = layer(gpukit)
    with pytest.raises(gpukit.BoundsError, match="dim 5 is out of range"):
        getattr(utils if form == "older" else utils.parametrizations, norm)(made, dim=5)
    assert sorted(made.state_dict()) == ["bias", "weight"]
    made(gpukit.ones(1, 3))


def test_the_count_of_averages_is_on_the_device_of_each() -> None:
    parts = [gpukit.nn.Linear(1, 1).to(f"cuda:{i}") for i in range(2)]
    model = gpukit.nn.Sequential(*parts)
    averaged = gpukit.optim.swa_utils.AveragedModel(model)
    for _ in range(2):
        averaged.update_parameters(model)
    assert [p.device.index for p in averaged.parameters()] == [0, 0, 1, 1]


def test_models_of_a_generator_are_stacked() -> None:
    models = [gpukit.nn.Linear(2, 1) for _ in range(2)]
    stacked, _ = gpukit.func.stack_module_state(model for model in models)
    assert stacked["weight"].shape == (2, 1, 2)
