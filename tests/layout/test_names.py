"""tools/count_house.py counts what it should, and csrc keeps to its figures."""

from __future__ import annotations

import pytest

from support.mode import PROJECT
from support.tools import load_tool

count_house = load_tool("count_house")

# Distinct function names in a thousand lines of csrc. Lower it when names have become fewer.
MOST_NAMES_PER_THOUSAND = 49.1
MOST_MEDIAN_LINES = 8
MOST_P99_LINES = 35

SOURCE = """
#define MACRO(x) void not_counted() { x; }
namespace gpukit {
namespace {
constexpr int kTable[] = {1, 2, 3};
enum class Kind { kFirst };
constexpr auto kSquare = [](int x) { return x * x; };
struct Pair {
  Pair(int a, int b) : a_{a}, b_(b) {}
  ~Pair() = default;
  int sum() const { return a_ + b_; }
  bool operator==(const Pair&) const = default;
  int operator()(int x) { return x; }
  int declared();
  int a_{1};
  int b_;
};
template <class T, std::size_t kSize = sizeof(T)>
requires(kSize > 1) std::function<void()> helper(T value) noexcept(kSize < 3) {
  if (value) { return {}; }
  const auto lambda = [&] { return "}"; };
  return lambda;  // }
}
}  // namespace
std::vector<int> Pair::values() const {
  return {'{', 1'000};
}
template <>
void decode<"add">(Decoder& decoder) {}
template <>
void decode<"sub">(Decoder& decoder) {}
extern "C" int cuExport(void* data) { return 0; }
void declared(Pair pair = {}, int more = 0);
MACRO_OF_FUNCTIONS(first, second)
int behind_macro(const Pair& pair = {}) { return pair.a_; }
Pair::Pair(bool both) : a_(both ? Pair{}.b_ : 1), b_(2) {}
}  // namespace gpukit
"""


def test_definitions_are_found() -> None:
    found = list(count_house.functions_in(SOURCE))
    names = ["Pair", "sum", "operator()", "helper", "values", "decode", "decode", "cuExport"]
    names += ["behind_macro", "Pair"]
    assert [function.name for function in found] == names
    assert {function.name: function.lines for function in found}["helper"] == 5
    assert {function.name: function.lines for function in found}["values"] == 3


def test_a_name_counts_once() -> None:
    one = count_house.Function("run", "a.cpp", 1, 4)
    other = count_house.Function("run", "b.cpp", 9, 8)
    only = count_house.Function("parse", "b.cpp", 20, 30)
    counted = count_house.Count(1000, (one, other, only))
    assert counted.names_per_thousand == 2
    assert counted.once == 0.5
    assert (counted.length(0.5), counted.length(0.99)) == (8, 30)


@pytest.fixture(scope="module")
def whole() -> object:
    """The counts of csrc."""
    return count_house.count(list(count_house.sources(PROJECT)))


def test_names_are_few(whole) -> None:
    assert whole.names_per_thousand <= MOST_NAMES_PER_THOUSAND, (
        "more function names than before: use the word that the project has for this, in the "
        "namespace of the file (docs/architecture.md, section 7)"
    )


def test_functions_are_short(whole) -> None:
    assert whole.length(0.5) <= MOST_MEDIAN_LINES
    assert whole.length(0.99) <= MOST_P99_LINES
