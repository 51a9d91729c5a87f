// The gradients of attention: its weights are computed once more, in the same blocks.
#include "cpu/attention_panels.h"

namespace gpukit::cpu {
namespace cpu_attention {
namespace {

constexpr std::int64_t kBackPanels = 4;  ///< that share a read of keys and values

/// Every `parts`-th group of a product from `part` on, and where its gradients of keys and values
/// are summed.
struct Part {
  std::int64_t product, part;
  float *by_key, *by_value;
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

  /// `next` is what this thread will probably do next.
  void run(const Part& is, const Part& next, std::int64_t parts) {
    const auto [product, part, by_key, by_value] = is;
    product_ = product;
    by_key_ = by_key;
    by_value_ = by_value;
    std::fill_n(by_key, args_.keys * args_.size, 0.0F);
    std::fill_n(by_value, args_.keys * args_.values, 0.0F);
    for (std::int64_t group = part; group < call_.groups; group += parts) {
      begin(group * call_.width);
      const bool last = group + parts >= call_.groups;
      fetch_group(last ? Group{next.product, next.part * call_.width}
                       : Group{product, (group + parts) * call_.width});
      const std::int64_t keys = call_.seen(first_ + count_);
      for (std::int64_t key = 0; key < keys; key += kKeys) {
        if (key + kKeys < keys) {
          fetch_block(is, key + kKeys);
        } else {
          fetch_block(last ? next : is, 0);
        }
        block(key, std::min(kKeys, keys - key));
      }
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
    const auto factor = static_cast<float>(args_.factor);
    for (std::int64_t i = 0; i < count_; ++i) {
      const float* g = gradient + i * args_.values;
      means_[i] = static_cast<float>(
          call_.table.layers.products(g, out + i * args_.values, 0.0F, args_.values));
      std::copy_n(g, args_.values, value_rows_ + i * value_step_);
      for (std::int64_t e = 0; e < args_.size; ++e)
        query_rows_[i * query_step_ + e] = query[i * args_.size + e] * factor;
    }
    std::fill_n(factors_, call_.panel, static_cast<float>(args_.factor * kLog2E));
    for (std::int64_t i = 0, at = 0; i < panels(); ++i, at += call_.panel) {
      // Rounded as in the forward pass, whose sums these weights are divided by.
      call_.transpose(queries_ + at, stride_, query + at * args_.size, args_.size, columns(i),
                      args_.size);
      call_.table.attention.scale(queries_ + at, args_.size, stride_, factors_);
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

  /// Of the block of keys and values from `key` on, and of their gradients.
  void fetch_block(const Part& of, std::int64_t key) {
    const std::int64_t row = of.product * args_.keys + key;
    const std::int64_t keys = std::min(kKeys, args_.keys - key);
    block_ahead_.clear();
    block_ahead_.add(row_of(args_.key, row, args_.size), keys * args_.size);
    block_ahead_.add(row_of(args_.value, row, args_.values), keys * args_.values);
    block_ahead_.add(of.by_key + key * args_.size, keys * args_.size);
    block_ahead_.add(of.by_value + key * args_.values, keys * args_.values);
    block_ahead_.begin(panels() * tiles());
  }
  /// Of the rows of the next group.
  void fetch_group(const Group& next) {
    const std::int64_t row = next.product * args_.length + next.first;
    const std::int64_t count = std::min(call_.width, args_.length - next.first);
    group_ahead_.clear();
    group_ahead_.add(row_of(args_.query, row, args_.size), count * args_.size);
    group_ahead_.add(row_of(grads_.gradient, row, args_.values), count * args_.values);
    group_ahead_.add(row_of(args_.out, row, args_.values), count * args_.values);
    group_ahead_.add(row_of(grads_.query_gradient, row, args_.size), count * args_.size);
    const std::int64_t keys = call_.seen(first_ + count_);
    group_ahead_.begin(ceil_div(keys, kKeys) * panels() * tiles());
  }
  /// At least so many has a panel's block.
  std::int64_t tiles() const { return (2 * kKeys + args_.size) / 12; }
  void fetch_some() {
    block_ahead_.some();
    group_ahead_.some();
  }

  /// A panel's weights, their slopes, and what these are to the queries.
  void weights(const float* key, const float* value, std::int64_t first, std::int64_t keys,
               std::int64_t at) {
    const SkinnyKernel& kernel = call_.table.skinny_f32;
    const auto between = [this] { fetch_some(); };
    multiply(kernel,
             {key, args_.size, false, queries_ + at, stride_, scores_ + at, stride_, keys,
              call_.panel, args_.size, false},
             between);
    call_.apply_causal_mask(scores_ + at, stride_, first, keys, first_ + at);
    multiply(kernel,
             {value, args_.values, false, gradients_ + at, stride_, slopes_ + at, stride_, keys,
              call_.panel, args_.values, false},
             between);
    call_.table.attention.slopes(scores_ + at, slopes_ + at, keys, stride_, logs_ + at,
                                 means_ + at);
    multiply(kernel,
             {key, args_.size, true, slopes_ + at, stride_, by_queries_ + at, stride_, args_.size,
              call_.panel, keys, first > 0},
             between);
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
    std::fill_n(factors_, call_.panel, static_cast<float>(args_.factor));
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
  Ahead block_ahead_, group_ahead_;
};

}  // namespace
}  // namespace cpu_attention

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
  for_each_unit(
      workspace_, batch * parts, Backward::floats(call), [&](std::int64_t unit, float* scratch) {
        const auto part = [&](std::int64_t i) {
          const auto [key, value] = sums(i / parts, i % parts);
          return Part{i / parts, i % parts, key, value};
        };
        const std::int64_t next = unit + std::min<std::int64_t>(batch * parts, available_threads());
        Backward(call, args, scratch)
            .run(part(unit), part(std::min(next, batch * parts - 1)), parts);
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
