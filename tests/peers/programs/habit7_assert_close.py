import torch
from torch.testing import assert_close


def show(*args, **kwargs):
    try:
        assert_close(*args, **kwargs)
        print("close")
    except (AssertionError, TypeError, ValueError) as e:
        print(
            type(e).__name__,
            len(str(e)) > 10,
            str(e).splitlines()[0] if "msg" in kwargs and isinstance(kwargs["msg"], str) else "",
        )
    print("-" * 20)


show(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 2.0, 3.0 + 1e-7]))
show(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 2.5, 3.5]))
show(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1, 2], [3, 5]]))
show(torch.tensor(1.0), torch.tensor(1.5))
show(torch.ones(2), torch.ones(3))
show(torch.ones(2), torch.ones(2, dtype=torch.float64))
show(torch.ones(2), torch.ones(2, dtype=torch.float64), check_dtype=False)
show(torch.tensor([float("nan")]), torch.tensor([float("nan")]))
show(torch.tensor([float("nan")]), torch.tensor([float("nan")]), equal_nan=True)
show(1.0, 1.0 + 1e-9)
show(1.0, 2.0)
show([torch.ones(2), torch.zeros(1)], [torch.ones(2), torch.ones(1)])
show({"a": torch.ones(1)}, {"a": torch.ones(1) * 2})
show(torch.ones(3), torch.ones(3) * 1.01, rtol=0.1, atol=0.0)
show(torch.ones(3), torch.ones(3) * 1.01, rtol=1e-3, atol=1e-3)
show(torch.ones(2), torch.zeros(2), msg="should be the same")
show(torch.ones(2), torch.zeros(2), msg=lambda m: "header: " + m.splitlines()[0])
show(torch.ones(2), [1.0, 1.0])
show((1, 2), (1, 3))
show(torch.tensor([True, False]), torch.tensor([True, True]))
show(torch.ones(2, dtype=torch.float16), torch.ones(2, dtype=torch.float16) + 0.01)
print(
    torch.allclose(torch.tensor([1.0]), torch.tensor([1.0 + 1e-6])),
    torch.equal(torch.ones(2), torch.ones(2)),
)
print(
    torch.isclose(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.1])),
    torch.allclose(torch.ones(1), torch.ones(1) * 1.1, rtol=0.2),
)
