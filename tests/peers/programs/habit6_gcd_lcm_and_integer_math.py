import torch

a = torch.tensor([5, 10, 15, -12, 0])
b = torch.tensor([3, 4, 5, 18, 7])
print(torch.gcd(a, b), torch.lcm(a, b))
print(torch.gcd(a, torch.tensor(3)), a.gcd(b), a.lcm(b))
c = a.clone()
c.gcd_(b)
print(c)
print(torch.lcm(torch.tensor([[4], [6]]), torch.tensor([10, 15])))
print(
    torch.gcd(
        torch.tensor([12, 18], dtype=torch.int32), torch.tensor([8, 27], dtype=torch.int64)
    ).dtype
)
print(
    a % 4, torch.remainder(a, 4), torch.fmod(a, 4), a // 4, torch.div(a, 4, rounding_mode="trunc")
)
print(a & b, a | b, a ^ b, ~a, a << 1, a >> 1)
print(torch.bitwise_not(torch.tensor([True, False])), torch.bitwise_left_shift(b, 2))
print(torch.floor_divide(a, 2), torch.true_divide(a, 2), torch.abs(a), torch.neg(a), torch.sign(a))
print(torch.pow(b, 2), 2**b, torch.square(b), a.prod(), b.prod(), b.cumprod(0))
print(
    torch.bincount(torch.tensor([0, 1, 1, 3])),
    torch.histc(torch.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3),
)
print(
    torch.count_nonzero(a),
    torch.nonzero(a).flatten(),
    torch.unique(torch.tensor([3, 1, 3]), return_counts=True),
)
print(
    torch.isin(a, torch.tensor([5, 0])),
    torch.bucketize(torch.tensor([1, 5, 9]), torch.tensor([2, 6])),
)


def primes(n):
    sieve = torch.ones(n + 1, dtype=torch.bool)
    sieve[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if sieve[i]:
            sieve[i * i :: i] = False
    return sieve.nonzero().squeeze(1)


print(primes(30))
coprime = torch.gcd(torch.arange(1, 6)[:, None], torch.arange(1, 6)[None]) == 1
print(coprime.int())
print(torch.combinations(torch.arange(3)), torch.cartesian_prod(torch.arange(2), torch.arange(2)))
print(torch.triu_indices(3, 3, offset=1), torch.tril_indices(2, 2))
print(
    torch.arange(10).view(2, 5).flip(1).roll(1, 0),
    torch.full((2,), 7),
    torch.tensor(7).bitwise_and(3),
)
