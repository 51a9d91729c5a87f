// Eigenvalues and singular values of one matrix a lane by Jacobi's rotations. A sweep meets each
// pair of columns once, in rounds whose pairs are disjoint: their angles do not wait for each
// other.
#pragma once

#include "cpu/simd/lane_reflections.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {
namespace {

/// Random matrices take 5 to 9.
constexpr int kMostSweeps = 40;
constexpr std::int64_t kMostPairs = kMostLaneRows / 2;

/// The pairs p < q of one round of a tournament of n; one of an odd number waits.
struct Round {
  Round(std::int64_t n, std::int64_t number) {
    const std::int64_t ring = n - 1 + n % 2;
    for (std::int64_t i = 0; i <= ring / 2; ++i) {
      const std::int64_t x = (number + i) % ring;
      const std::int64_t y = i == 0 ? ring : (number + ring - i) % ring;
      if (x == n || y == n) {
        waiting = x == n ? y : x;
        continue;
      }
      p[count] = x < y ? x : y;
      q[count++] = x < y ? y : x;
    }
  }
  std::int64_t count = 0, waiting = -1;
  std::int64_t p[kMostPairs], q[kMostPairs];
};

template <class T>
constexpr T kEpsilon = static_cast<T>(sizeof(T) == sizeof(float) ? 0x1p-23 : 0x1p-52);

/// By the sine and the tangent of half the angle: roundings are as small as the angle, and columns
/// keep their lengths (Rutishauser, 1966).
template <class T>
struct Rotation {
  Vec<T> sine, half;
  /// (x, y) become (c x - s y, s x + c y).
  GPUKIT_SIMD_FN void turn(const Rotation& by, Vec<T>& x, Vec<T>& y) {
    const Vec<T> first = x - by.sine * (y + by.half * x);
    y += by.sine * (x - by.half * y);
    x = first;
  }
  GPUKIT_SIMD_FN void turn(const Rotation& by, T* x, T* y) {
    Vec<T> first = load(x), second = load(y);
    turn(by, first, second);
    store(x, first);
    store(y, second);
  }
  GPUKIT_SIMD_FN void turn(const Rotation& by, T* x, T* y, std::int64_t count) {
    for (std::int64_t r = 0; r < count * kLanes<T>; r += kLanes<T>) turn(by, x + r, y + r);
  }
};

/// The rotation that diagonalizes (x, off; off, x + difference) in the lanes of `where`, and its
/// tangent; the smaller angle.
template <class T>
GPUKIT_SIMD_FN Rotation<T> rotation_of(Vec<T> difference, Vec<T> off, LaneMask<T> where,
                                       Vec<T>& tangent) {
  using V = Vec<T>;
  const V twice = off + off, root = square_root(difference * difference + twice * twice);
  const V size = absolute<T>(difference) + root;
  tangent = chosen<T>(difference < 0, -twice, twice) / chosen<T>(where, size, V{} + 1);
  tangent = chosen<T>(where, tangent, V{});
  const V secant = square_root(tangent * tangent + 1);
  return {tangent / secant, tangent / (secant + 1)};
}

template <class T>
void set_identity(T* data, std::int64_t n) {
  const LaneMatrix<T> a{data, 1, n};
  for (std::int64_t c = 0; c < n; ++c)
    for (std::int64_t r = 0; r < n; ++r) store(a.at(r, c), Vec<T>{} + static_cast<T>(r == c));
}

/// Columns of `rows` vectors, or none.
template <class T>
struct LaneColumns {
  T* data;
  std::int64_t rows;
};

template <class T>
GPUKIT_SIMD_FN void exchange_where(LaneMask<T> where, T* x, T* y) {
  const Vec<T> first = load(x), second = load(y);
  store(x, chosen<T>(where, second, first));
  store(y, chosen<T>(where, first, second));
}

/// Sorts keys, and columns with them.
template <class T>
void sort_lanes(T* keys, std::int64_t n, bool descending, LaneColumns<T> one,
                LaneColumns<T> other) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = i + 1; j < n; ++j) {
      T *x = keys + i * kLanes<T>, *y = keys + j * kLanes<T>;
      const LaneMask<T> wrong = descending ? load(x) < load(y) : load(y) < load(x);
      if (!any_lane(wrong)) continue;
      exchange_where<T>(wrong, x, y);
      for (const LaneColumns<T>& columns : {one, other})
        for (std::int64_t r = 0; columns.data != nullptr && r < columns.rows; ++r)
          exchange_where<T>(wrong, columns.data + (i * columns.rows + r) * kLanes<T>,
                            columns.data + (j * columns.rows + r) * kLanes<T>);
    }
  }
}

/// Brings elements near 2^16, and replaces those of lanes that are not finite by 0.
template <class T>
struct Prepared {
  /// `each(visit)` calls visit(place) for all elements.
  template <class Each>
  explicit Prepared(const Each& each) {
    using V = Vec<T>;
    constexpr T kMost =
        static_cast<T>(sizeof(T) == sizeof(float) ? 0x1.fffffep127 : 0x1.fffffffffffffp1023);
    each([&](T* place) {
      const V size = absolute<T>(load(place));
      wrong |= ~(size <= kMost);
      largest = chosen<T>(size > largest, size, largest);
    });
    largest = chosen<T>(wrong, V{}, largest);
    scale = LaneScale<T>(largest);
    each([&](T* place) {
      store(place, chosen<T>(wrong, V{}, LaneScale<T>::apply(scale, load(place))));
    });
    largest = LaneScale<T>::apply(scale, largest);
  }
  /// 0, n of the lanes that have not converged, -1 of those that are not finite.
  void tell(std::int32_t* info, LaneMask<T> moving, std::int64_t n) const {
    const LaneMask<T> failed = counted<T>(moving, n, LaneMask<T>{});
    store_counts<T>(info, counted<T>(wrong, -1, failed));
  }

  LaneMask<T> wrong{};
  Vec<T> largest{};
  LaneScale<T> scale{Vec<T>{}};
};

// ---- eigenvalues ----

/// The triangle of symmetric matrices; i and j in any order.
template <class T>
struct Triangle {
  LaneMatrix<T> upper;
  T* at(std::int64_t i, std::int64_t j) const { return i < j ? upper.at(i, j) : upper.at(j, i); }
};

template <class T>
LaneMask<T> moving_lanes(const Triangle<T>& a, std::int64_t n, Vec<T> tolerance) {
  LaneMask<T> moving{};
  for (std::int64_t j = 1; j < n; ++j)
    for (std::int64_t i = 0; i < j; ++i) moving |= absolute<T>(load(a.at(i, j))) > tolerance;
  return moving;
}

/// The rotation of rows and columns p and q; their own elements are updated.
template <class T>
GPUKIT_SIMD_FN Rotation<T> turn_diagonal(const Triangle<T>& a, std::int64_t p, std::int64_t q,
                                         Vec<T> tolerance) {
  using V = Vec<T>;
  const V off = load(a.at(p, q)), x = load(a.at(p, p)), y = load(a.at(q, q));
  const LaneMask<T> where = absolute<T>(off) > tolerance;
  V tangent;
  const Rotation<T> by = rotation_of<T>(y - x, off, where, tangent);
  store(a.at(p, p), x - tangent * off);
  store(a.at(q, q), y + tangent * off);
  store(a.at(p, q), chosen<T>(where, V{}, off));
  return by;
}

/// The four elements where the rows of one pair meet the columns of another.
template <class T>
GPUKIT_SIMD_FN void turn_meeting(const Triangle<T>& a, const Round& round, const Rotation<T>* by,
                                 std::int64_t k, std::int64_t l) {
  using V = Vec<T>;
  T* places[4] = {a.at(round.p[k], round.p[l]), a.at(round.p[k], round.q[l]),
                  a.at(round.q[k], round.p[l]), a.at(round.q[k], round.q[l])};
  V pp = load(places[0]), pq = load(places[1]), qp = load(places[2]), qq = load(places[3]);
  Rotation<T>::turn(by[k], pp, qp);
  Rotation<T>::turn(by[k], pq, qq);
  Rotation<T>::turn(by[l], pp, pq);
  Rotation<T>::turn(by[l], qp, qq);
  store(places[0], pp);
  store(places[1], pq);
  store(places[2], qp);
  store(places[3], qq);
}

template <class T>
void sweep_symmetric(const Triangle<T>& a, std::int64_t n, Vec<T> tolerance, T* vectors) {
  Rotation<T> by[kMostPairs];
  for (std::int64_t number = 0; number < n - 1 + n % 2; ++number) {
    const Round round(n, number);
    for (std::int64_t k = 0; k < round.count; ++k)
      by[k] = turn_diagonal<T>(a, round.p[k], round.q[k], tolerance);
    for (std::int64_t k = 0; k < round.count; ++k) {
      const std::int64_t p = round.p[k], q = round.q[k], w = round.waiting;
      for (std::int64_t l = k + 1; l < round.count; ++l) turn_meeting<T>(a, round, by, k, l);
      if (w >= 0) Rotation<T>::turn(by[k], a.at(p, w), a.at(q, w));
      if (vectors != nullptr)
        Rotation<T>::turn(by[k], vectors + p * n * kLanes<T>, vectors + q * n * kLanes<T>, n);
    }
  }
}

template <class T>
void eigh_of_lanes(T* data, std::int64_t n, bool upper, T* values, T* vectors, std::int32_t* info) {
  const Triangle<T> a{{data, upper ? 1 : n, upper ? n : 1}};
  const Prepared<T> prepared([&](const auto& visit) {
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i <= j; ++i) visit(a.at(i, j));
  });
  if (vectors != nullptr) set_identity<T>(vectors, n);
  const Vec<T> tolerance = prepared.largest * (kEpsilon<T> / 16);
  LaneMask<T> moving = moving_lanes<T>(a, n, tolerance);
  for (int sweep = 0; sweep < kMostSweeps && any_lane(moving); ++sweep) {
    sweep_symmetric<T>(a, n, tolerance, vectors);
    moving = moving_lanes<T>(a, n, tolerance);
  }
  for (std::int64_t j = 0; j < n; ++j)
    store(values + j * kLanes<T>, LaneScale<T>::undo(prepared.scale, load(a.at(j, j))));
  sort_lanes<T>(values, n, false, {vectors, n}, {nullptr, 0});
  prepared.tell(info, moving, n);
}

// ---- singular values ----

/// Squares below which a column counts as 0 beside the largest element, 2^16 or so.
template <class T>
constexpr T kNullSquare = static_cast<T>(sizeof(T) == sizeof(float) ? 0x1p-28 : 0x1p-86);

/// The rotation after which columns p and q of w are orthogonal; `where`: the lanes that need it.
template <class T>
GPUKIT_SIMD_FN Rotation<T> rotation_of_columns(const T* p, const T* q, std::int64_t n,
                                               LaneMask<T>& where) {
  using V = Vec<T>;
  V alpha{}, beta{}, gamma{};
  for (std::int64_t r = 0; r < n * kLanes<T>; r += kLanes<T>) {
    const V x = load(p + r), y = load(q + r);
    alpha += x * x;
    beta += y * y;
    gamma += x * y;
  }
  const T tolerance = static_cast<T>(4 * n) * kEpsilon<T> * kEpsilon<T>;
  where = (gamma * gamma > tolerance * (alpha * beta)) &
          (alpha > kNullSquare<T>)&(beta > kNullSquare<T>);
  V tangent;
  return rotation_of<T>(beta - alpha, gamma, where, tangent);
}

/// The lanes in which some column has changed.
template <class T>
LaneMask<T> sweep_columns(T* w, std::int64_t n, T* v) {
  LaneMask<T> moved{}, where[kMostPairs];
  Rotation<T> by[kMostPairs];
  const std::int64_t step = n * kLanes<T>;
  for (std::int64_t number = 0; number < n - 1 + n % 2; ++number) {
    const Round round(n, number);
    for (std::int64_t k = 0; k < round.count; ++k)
      by[k] = rotation_of_columns<T>(w + round.p[k] * step, w + round.q[k] * step, n, where[k]);
    for (std::int64_t k = 0; k < round.count; ++k) {
      if (!any_lane(where[k])) continue;
      moved |= where[k];
      Rotation<T>::turn(by[k], w + round.p[k] * step, w + round.q[k] * step, n);
      if (v != nullptr) Rotation<T>::turn(by[k], v + round.p[k] * step, v + round.q[k] * step, n);
    }
  }
  return moved;
}

/// A unit vector x at right angles to the j columns of w: the one of the rows that these fill
/// least, made orthogonal twice.
template <class T>
void orthogonal_to(const T* data, std::int64_t n, std::int64_t j, Vec<T>* x) {
  using V = Vec<T>;
  const LaneMatrix<const T> w{data, 1, n};
  V least = V{} + static_cast<T>(2);
  LaneMask<T> row{};
  for (std::int64_t r = 0; r < n; ++r) {
    V sum{};
    for (std::int64_t c = 0; c < j; ++c) sum += load(w.at(r, c)) * load(w.at(r, c));
    row = counted<T>(sum < least, r, row);
    least = chosen<T>(sum < least, sum, least);
  }
  for (std::int64_t r = 0; r < n; ++r) x[r] = chosen<T>(row == count_of<T>(r), V{} + 1, V{});
  for (std::int64_t step = 0; step < 2 * j; ++step) {
    const std::int64_t c = step % j;
    V sum{};
    for (std::int64_t r = 0; r < n; ++r) sum += load(w.at(r, c)) * x[r];
    for (std::int64_t r = 0; r < n; ++r) x[r] -= sum * load(w.at(r, c));
  }
  V squares{};
  for (std::int64_t r = 0; r < n; ++r) squares += x[r] * x[r];
  const V length = square_root(squares);
  for (std::int64_t r = 0; r < n; ++r) x[r] /= length;
}

/// Columns of the lengths `values`, descending, become orthonormal.
template <class T>
void normalize_columns(T* data, std::int64_t n, const T* values) {
  using V = Vec<T>;
  const LaneMatrix<T> w{data, 1, n};
  for (std::int64_t j = 0; j < n; ++j) {
    const V length = load(values + j * kLanes<T>);
    const LaneMask<T> null = ~(length * length > kNullSquare<T>);
    V other[kMostLaneRows];
    const bool any = any_lane(null);
    if (any) orthogonal_to<T>(data, n, j, other);
    for (std::int64_t r = 0; r < n; ++r) {
      const V unit = load(w.at(r, j)) / length;
      store(w.at(r, j), any ? chosen<T>(null, other[r], unit) : unit);
    }
  }
}

/// U of its square part w and of the reflectors of QR.
template <class T>
void write_left(const LaneSvd<T>& svd, const T* square) {
  using V = Vec<T>;
  const std::int64_t m = svd.rows, n = svd.columns;
  const LaneMatrix<T> u{svd.u, 1, m}, a{svd.a, 1, m};
  const LaneMatrix<const T> w{square, 1, n};
  for (std::int64_t c = 0; c < svd.u_columns; ++c)
    for (std::int64_t r = 0; r < m; ++r)
      store(u.at(r, c), r < n && c < n ? load(w.at(r, c)) : V{} + static_cast<T>(r == c));
  if (m == n) return;
  for (std::int64_t j = n - 1; j >= 0; --j)
    for (std::int64_t c = 0; c < svd.u_columns; ++c)
      reflect<T>(a.at(j, j), load(svd.tau + j * kLanes<T>), u.at(j, c), m - j);
}

/// R of reflectors.
template <class T>
void copy_triangle(T* out, const T* data, std::int64_t m, std::int64_t n) {
  const LaneMatrix<const T> a{data, 1, m};
  const LaneMatrix<T> w{out, 1, n};
  for (std::int64_t c = 0; c < n; ++c)
    for (std::int64_t r = 0; r < n; ++r) store(w.at(r, c), r <= c ? load(a.at(r, c)) : Vec<T>{});
}

template <class T>
void svd_of_lanes(const LaneSvd<T>& svd) {
  using V = Vec<T>;
  const std::int64_t m = svd.rows, n = svd.columns;
  const Prepared<T> prepared([&](const auto& visit) {
    for (std::int64_t i = 0; i < m * n; ++i) visit(svd.a + i * kLanes<T>);
  });
  T *w = svd.a, *v = svd.vectors ? svd.v : nullptr;
  if (m > n) {
    w = svd.tau + n * kLanes<T>;
    qr_of_lanes<T>(svd.a, m, n, svd.tau);
    copy_triangle<T>(w, svd.a, m, n);
  }
  if (v != nullptr) set_identity<T>(v, n);
  LaneMask<T> moving = ~LaneMask<T>{};
  for (int sweep = 0; sweep < kMostSweeps && any_lane(moving); ++sweep)
    moving = sweep_columns<T>(w, n, v);
  for (std::int64_t j = 0; j < n; ++j) {
    V squares{};
    for (std::int64_t r = 0; r < n; ++r) {
      const V value = load(w + (j * n + r) * kLanes<T>);
      squares += value * value;
    }
    store(svd.values + j * kLanes<T>, square_root(squares));
  }
  sort_lanes<T>(svd.values, n, true, {svd.vectors ? w : nullptr, n}, {v, n});
  if (svd.vectors) {
    normalize_columns<T>(w, n, svd.values);
    write_left<T>(svd, w);
  }
  for (std::int64_t j = 0; j < n; ++j) {
    T* value = svd.values + j * kLanes<T>;
    store(value, LaneScale<T>::undo(prepared.scale, load(value)));
  }
  prepared.tell(svd.info, moving, n);
}

}  // namespace
}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
