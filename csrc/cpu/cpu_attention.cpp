// Attention without its matrix of weights (after Dao and others, 2022, arXiv:2205.14135). Scores
// are computed transposed, a panel of queries to each row of vectors: then keys and values are read
// where they lie, the softmax needs no sum over lanes, and the weights are the next product's right
// side as they are.
#include <algorithm>
#include <array>
#include <atomic>
#include <limits>

#include "base/numeric.h"
#include "cpu/cpu_ops.h"
#include "cpu/scratch.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace cpu_attention {
namespace {

constexpr std::int64_t kKeys = 128;  ///< of a block: its scores stay in the first-level cache
constexpr std::int64_t kPanels = 8;  ///< that share a read of keys and values
constexpr std::int64_t kBackPanels = 4;
constexpr float kLeast = -std::numeric_limits<float>::infinity();

/// c = a * b + (add ? c : 0) in blocks of the kernel; b and c are one panel wide.
struct PanelProduct {
  const float* a;
  std::int64_t a_stride;
  bool a_side_by_side;
  const float* b;
  std::int64_t b_stride;
  float* c;
  std::int64_t c_stride;
  std::int64_t rows, columns, depth;
  bool add;
};

void multiply(const SkinnyKernel& kernel, const PanelProduct& of) {
  SkinnyBlock block{};
  block.columns = of.columns;
  block.depth = of.depth;
  block.a_stride = of.a_stride;
  block.a_side_by_side = of.a_side_by_side;
  block.b = of.b;
  block.b_stride = of.b_stride;
  block.alpha = 1;
  block.beta = of.add ? 1 : 0;
  block.c_stride = of.c_stride;
  for (std::int64_t i = 0; i < of.rows;) {
    block.rows = of.rows - i;
    block.a = of.a + (of.a_side_by_side ? i : i * of.a_stride);
    block.c = of.c + i * of.c_stride;
    i += kernel.run(block);
  }
}

/// Sizes of a call, and what its threads have in common.
struct Call {
  Call(const SimdTable& of, const AttentionArgs& given, std::int64_t group_panels)
      : table(of),
        args(given),
        panel(of.skinny_f32.columns),
        panels(std::min(group_panels, ceil_div(given.length, panel))),
        width(panels * panel),
        groups(ceil_div(given.length, width)) {}

  /// The keys that the queries before `end` see.
  std::int64_t seen(std::int64_t end) const {
    return args.causal ? std::min(args.keys, end) : args.keys;
  }
  /// in (rows, columns) to out (columns, rows).
  void transpose(float* out, std::int64_t out_stride, const float* in, std::int64_t in_stride,
                 std::int64_t rows, std::int64_t columns) const {
    table.transpose[sizeof(float)](out, out_stride, in, in_stride, columns, rows);
  }
  /// Scores of keys that come after their query are -inf. The block's first key and the panel's
  /// first query are `key` and `query`.
  void apply_causal_mask(float* scores, std::int64_t stride, std::int64_t key, std::int64_t keys,
                         std::int64_t query) const {
    if (!args.causal) return;
    for (std::int64_t i = std::max<std::int64_t>(0, query + 1 - key); i < keys; ++i)
      std::fill_n(scores + i * stride, std::min(key + i - query, panel), kLeast);
  }

  const SimdTable& table;
  const AttentionArgs& args;
  std::int64_t panel, panels, width, groups;
};

/// Runs body(unit, memory) for all units on the threads; `floats` of memory for each of them.
template <class Body>
void for_each_unit(Workspace* workspace, std::int64_t units, std::int64_t floats,
                   const Body& body) {
  const std::int64_t slots = std::min<std::int64_t>(units, available_threads());
  const std::int64_t step = round_up(floats, std::int64_t{16});
  const Scratch memory(workspace, static_cast<std::size_t>(slots * step) * sizeof(float));
  std::atomic<std::int64_t> next{0};
  parallel_pieces(slots, false, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t slot = begin; slot < end; ++slot) {
      for (std::int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < units;)
        body(i, memory.as<float>() + slot * step);
    }
  });
}

/// The forward pass of a group of queries.
class Forward {
 public:
  Forward(const Call& call, float* memory)
      : call_(call),
        args_(call.args),
        queries_(memory),
        outs_(queries_ + call.width * call.args.size),
        scores_(outs_ + call.width * call.args.values),
        largest_(scores_ + kKeys * call.panel),
        sums_(largest_ + call.width),
        rescale_(sums_ + call.width) {}

  static std::int64_t floats(const Call& call) {
    return call.width * (call.args.size + call.args.values + 2) + (kKeys + 1) * call.panel;
  }

  void run(std::int64_t product, std::int64_t first) {
    product_ = product;
    first_ = first;
    count_ = std::min(call_.width, args_.length - first);
    panels_ = ceil_div(count_, call_.panel);
    begin();
    const std::int64_t keys = call_.seen(first + count_);
    for (std::int64_t key = 0; key < keys; key += kKeys) {
      for (std::int64_t i = 0; i < panels_; ++i) {
        const std::int64_t seen = call_.seen(std::min(first + (i + 1) * call_.panel, args_.length));
        if (key < seen) block(i, key, std::min(kKeys, seen - key));
      }
    }
    for (std::int64_t i = 0; i < panels_; ++i) finish(i);
  }

 private:
  std::int64_t columns(std::int64_t panel) const {
    return std::min(call_.panel, count_ - panel * call_.panel);
  }
  float* queries(std::int64_t panel) { return queries_ + panel * call_.panel * args_.size; }
  float* outs(std::int64_t panel) { return outs_ + panel * call_.panel * args_.values; }

  /// Panels of queries, transposed and scaled.
  void begin() {
    const float* query =
        static_cast<const float*>(args_.query) + (product_ * args_.length + first_) * args_.size;
    std::fill_n(largest_, panels_ * call_.panel, kLeast);
    std::fill_n(sums_, panels_ * call_.panel, 0.0F);
    std::fill_n(rescale_, call_.panel, static_cast<float>(args_.factor));
    for (std::int64_t i = 0; i < panels_; ++i) {
      if (columns(i) < call_.panel) std::fill_n(queries(i), call_.panel * args_.size, 0.0F);
      call_.transpose(queries(i), call_.panel, query + i * call_.panel * args_.size, args_.size,
                      columns(i), args_.size);
      call_.table.attention.scale(queries(i), args_.size, call_.panel, rescale_);
    }
  }

  void block(std::int64_t panel, std::int64_t first, std::int64_t keys) {
    const SimdTable& table = call_.table;
    const float* key =
        static_cast<const float*>(args_.key) + (product_ * args_.keys + first) * args_.size;
    const float* value =
        static_cast<const float*>(args_.value) + (product_ * args_.keys + first) * args_.values;
    const std::int64_t at = panel * call_.panel;
    multiply(table.skinny_f32, {key, args_.size, false, queries(panel), call_.panel, scores_,
                                call_.panel, keys, call_.panel, args_.size, false});
    call_.apply_causal_mask(scores_, call_.panel, first, keys, first_ + at);
    table.attention.weights(scores_, keys, largest_ + at, sums_ + at, rescale_);
    if (first > 0) table.attention.scale(outs(panel), args_.values, call_.panel, rescale_);
    multiply(table.skinny_f32, {value, args_.values, true, scores_, call_.panel, outs(panel),
                                call_.panel, args_.values, call_.panel, keys, first > 0});
  }

  void finish(std::int64_t panel) {
    const std::int64_t at = panel * call_.panel, row = product_ * args_.length + first_ + at;
    for (std::int64_t j = 0; j < call_.panel; ++j) rescale_[j] = 1.0F / sums_[at + j];
    call_.table.attention.scale(outs(panel), args_.values, call_.panel, rescale_);
    call_.transpose(static_cast<float*>(args_.out) + row * args_.values, args_.values, outs(panel),
                    call_.panel, args_.values, columns(panel));
    if (args_.log_sums == nullptr) return;
    float* logs = static_cast<float*>(args_.log_sums) + row;
    call_.table.unary[static_cast<int>(UnaryOp::kLog)][index_of(DType::kFloat32)](logs, sums_ + at,
                                                                                  columns(panel));
    for (std::int64_t j = 0; j < columns(panel); ++j) logs[j] += largest_[at + j];
  }

  const Call& call_;
  const AttentionArgs& args_;
  float *queries_, *outs_, *scores_, *largest_, *sums_, *rescale_;
  std::int64_t product_ = 0, first_ = 0, count_ = 0, panels_ = 0;
};

/// The way back of one product of the batch, or of every `parts`-th group of its queries: key and
/// value gradients of the part are whole matrices.
class Backward {
 public:
  Backward(const Call& call, const AttentionBackwardArgs& args, float* memory)
      : call_(call),
        args_(call.args),
        grads_(args),
        stride_(call.width + kSpare),
        query_step_(round_up(args_.size, call.panel)),
        value_step_(round_up(args_.values, call.panel)),
        query_rows_(memory),
        value_rows_(query_rows_ + call.width * query_step_),
        queries_(value_rows_ + call.width * value_step_),
        gradients_(queries_ + stride_ * args_.size),
        by_queries_(gradients_ + stride_ * args_.values),
        scores_(by_queries_ + stride_ * args_.size),
        slopes_(scores_ + stride_ * kKeys),
        logs_(slopes_ + stride_ * kKeys),
        means_(logs_ + call.width),
        factors_(means_ + call.width) {}

  static std::int64_t floats(const Call& call) {
    const std::int64_t size = call.args.size, values = call.args.values;
    return call.width * (round_up(size, call.panel) + round_up(values, call.panel) + 2) +
           (call.width + kSpare) * (2 * size + values + 2 * kKeys) + call.panel;
  }

  void run(std::int64_t product, std::int64_t part, std::int64_t parts, float* by_key,
           float* by_value) {
    product_ = product;
    by_key_ = by_key;
    by_value_ = by_value;
    std::fill_n(by_key, args_.keys * args_.size, 0.0F);
    std::fill_n(by_value, args_.keys * args_.values, 0.0F);
    std::fill_n(factors_, call_.panel, static_cast<float>(args_.factor));
    for (std::int64_t group = part; group < call_.groups; group += parts) {
      begin(group * call_.width);
      const std::int64_t keys = call_.seen(first_ + count_);
      for (std::int64_t key = 0; key < keys; key += kKeys) block(key, std::min(kKeys, keys - key));
      finish();
    }
  }

 private:
  static constexpr std::int64_t kSpare = 16;  ///< rows that begin in different sets of a cache

  std::int64_t columns(std::int64_t panel) const {
    return std::min(call_.panel, count_ - panel * call_.panel);
  }
  std::int64_t panels() const { return ceil_div(count_, call_.panel); }

  /// Queries with their factor and gradients, in rows and in columns.
  void begin(std::int64_t first) {
    first_ = first;
    count_ = std::min(call_.width, args_.length - first);
    const std::int64_t row = product_ * args_.length + first;
    const float* query = static_cast<const float*>(args_.query) + row * args_.size;
    const float* gradient = static_cast<const float*>(grads_.gradient) + row * args_.values;
    const float* out = static_cast<const float*>(args_.out) + row * args_.values;
    std::fill_n(logs_, call_.width, 0.0F);
    std::copy_n(static_cast<const float*>(args_.log_sums) + row, count_, logs_);
    std::fill_n(means_, call_.width, 0.0F);
    std::fill_n(queries_, stride_ * args_.size, 0.0F);
    std::fill_n(gradients_, stride_ * args_.values, 0.0F);
    for (std::int64_t i = 0; i < count_; ++i) {
      const float* g = gradient + i * args_.values;
      means_[i] = static_cast<float>(
          call_.table.layers.products(g, out + i * args_.values, 0.0F, args_.values));
      std::copy_n(g, args_.values, value_rows_ + i * value_step_);
      for (std::int64_t e = 0; e < args_.size; ++e)
        query_rows_[i * query_step_ + e] = query[i * args_.size + e] * factors_[0];
    }
    for (std::int64_t i = 0, at = 0; i < panels(); ++i, at += call_.panel) {
      call_.transpose(queries_ + at, stride_, query_rows_ + at * query_step_, query_step_,
                      columns(i), args_.size);
      call_.transpose(gradients_ + at, stride_, value_rows_ + at * value_step_, value_step_,
                      columns(i), args_.values);
    }
  }

  void block(std::int64_t first, std::int64_t keys) {
    const std::int64_t row = product_ * args_.keys + first;
    const float* key = static_cast<const float*>(args_.key) + row * args_.size;
    const float* value = static_cast<const float*>(args_.value) + row * args_.values;
    std::int64_t from = count_;  // the first query that sees any key of the block
    for (std::int64_t i = panels() - 1; i >= 0; --i) {
      const std::int64_t at = i * call_.panel;
      const std::int64_t seen =
          std::min(keys, call_.seen(first_ + std::min(at + call_.panel, count_)) - first);
      if (seen <= 0) break;
      weights(key, value, first, seen, at);
      for (std::int64_t k = seen; k < keys; ++k) {
        std::fill_n(scores_ + k * stride_ + at, call_.panel, 0.0F);
        std::fill_n(slopes_ + k * stride_ + at, call_.panel, 0.0F);
      }
      from = at;
    }
    add_rows(scores_, value_rows_, value_step_, from, keys, by_value_ + first * args_.values,
             args_.values);
    add_rows(slopes_, query_rows_, query_step_, from, keys, by_key_ + first * args_.size,
             args_.size);
  }

  /// A panel's weights, their slopes, and what these are to the queries.
  void weights(const float* key, const float* value, std::int64_t first, std::int64_t keys,
               std::int64_t at) {
    const SkinnyKernel& kernel = call_.table.skinny_f32;
    multiply(kernel, {key, args_.size, false, queries_ + at, stride_, scores_ + at, stride_, keys,
                      call_.panel, args_.size, false});
    call_.apply_causal_mask(scores_ + at, stride_, first, keys, first_ + at);
    multiply(kernel, {value, args_.values, false, gradients_ + at, stride_, slopes_ + at, stride_,
                      keys, call_.panel, args_.values, false});
    call_.table.attention.slopes(scores_ + at, slopes_ + at, keys, stride_, logs_ + at,
                                 means_ + at);
    multiply(kernel, {key, args_.size, true, slopes_ + at, stride_, by_queries_ + at, stride_,
                      args_.size, call_.panel, keys, first > 0});
  }

  /// sums (keys, size) += weights (keys, queries) * rows (queries, size)
  void add_rows(const float* weights, const float* rows, std::int64_t step, std::int64_t from,
                std::int64_t keys, float* sums, std::int64_t size) const {
    for (std::int64_t j = 0; j < size; j += call_.panel)
      multiply(call_.table.skinny_f32,
               {weights + from, stride_, false, rows + from * step + j, step, sums + j, size, keys,
                std::min(call_.panel, size - j), count_ - from, true});
  }

  void finish() {
    const std::int64_t row = product_ * args_.length + first_;
    float* out = static_cast<float*>(grads_.query_gradient) + row * args_.size;
    for (std::int64_t i = 0, at = 0; i < panels(); ++i, at += call_.panel) {
      call_.table.attention.scale(by_queries_ + at, args_.size, stride_, factors_);
      call_.transpose(out + at * args_.size, args_.size, by_queries_ + at, stride_, args_.size,
                      columns(i));
    }
  }

  const Call& call_;
  const AttentionArgs& args_;
  const AttentionBackwardArgs& grads_;
  std::int64_t stride_, query_step_, value_step_;
  float *query_rows_, *value_rows_, *queries_, *gradients_, *by_queries_, *scores_, *slopes_;
  float *logs_, *means_, *factors_;
  float *by_key_ = nullptr, *by_value_ = nullptr;
  std::int64_t product_ = 0, first_ = 0, count_ = 0;
};

}  // namespace
}  // namespace cpu_attention

void CpuOps::attention(const AttentionArgs& args, StreamRef) {
  using namespace cpu_attention;
  const Call call(table_, args, kPanels);
  const std::int64_t units = args.batch * call.groups;
  for_each_unit(workspace_, units, Forward::floats(call), [&](std::int64_t unit, float* memory) {
    // The last queries of a causal call see the most keys: they come first.
    const std::int64_t group = call.groups - 1 - unit / args.batch;
    Forward(call, memory).run(unit % args.batch, group * call.width);
  });
}

void CpuOps::attention_backward(const AttentionBackwardArgs& args, StreamRef) {
  using namespace cpu_attention;
  const Call call(table_, args.forward, kBackPanels);
  const std::int64_t batch = args.forward.batch;
  const std::int64_t by_key = args.forward.keys * args.forward.size;
  const std::int64_t by_value = args.forward.keys * args.forward.values;
  // More than one part where the batch does not keep the threads busy.
  const std::int64_t parts =
      std::min<std::int64_t>(call.groups, ceil_div<std::int64_t>(available_threads(), batch));
  const Scratch memory(
      workspace_,
      static_cast<std::size_t>((parts - 1) * batch * (by_key + by_value)) * sizeof(float));
  const auto sums = [&](std::int64_t product, std::int64_t part) {
    if (part == 0)
      return std::array{static_cast<float*>(args.key_gradient) + product * by_key,
                        static_cast<float*>(args.value_gradient) + product * by_value};
    float* at = memory.as<float>() + ((part - 1) * batch + product) * (by_key + by_value);
    return std::array{at, at + by_key};
  };
  for_each_unit(workspace_, batch * parts, Backward::floats(call),
                [&](std::int64_t unit, float* scratch) {
                  const std::int64_t product = unit / parts, part = unit % parts;
                  const auto [key, value] = sums(product, part);
                  Backward(call, args, scratch).run(product, part, parts, key, value);
                });
  const BinaryKernel add =
      table_.binary[static_cast<int>(BinaryOp::kAdd)][index_of(DType::kFloat32)];
  for (std::int64_t product = 0; product < batch; ++product) {
    for (std::int64_t part = 1; part < parts; ++part) {
      const auto [key, value] = sums(product, 0);
      const auto [more_key, more_value] = sums(product, part);
      add(key, key, 1, more_key, 1, by_key);
      add(value, value, 1, more_value, 1, by_value);
    }
  }
}

}  // namespace gpukit::cpu
