// Attention without its matrix of weights (after Dao and others, 2022, arXiv:2205.14135). Scores
// are computed transposed, a panel of queries to each row of vectors: then keys and values are read
// where they lie, the softmax needs no sum over lanes, and the weights are the next product's right
// side as they are.
#include "cpu/attention_panels.h"

namespace gpukit::cpu {
namespace cpu_attention {
namespace {

constexpr std::int64_t kPanels = 16;  ///< that share a read of keys and values

/// Panels of a group: fewer where the threads would not all have work.
std::int64_t group_panels(std::int64_t batch, std::int64_t panels) {
  std::int64_t result = kPanels;
  while (result > 2 && batch * ceil_div(panels, result) < 4 * available_threads()) result /= 2;
  return result;
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

  /// `next` is what this thread will probably do next.
  void run(const Group& group, const Group& next) {
    const std::int64_t first = group.first;
    product_ = group.product;
    first_ = first;
    count_ = std::min(call_.width, args_.length - first);
    panels_ = ceil_div(count_, call_.panel);
    begin();
    const std::int64_t keys = call_.seen(first + count_);
    fetch_group(keys, next);
    for (std::int64_t key = 0; key < keys; key += kKeys) {
      if (key + kKeys < keys) {
        fetch_block(product_, key + kKeys);
      } else {
        fetch_block(next.product, 0);
      }
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
    std::fill_n(rescale_, call_.panel, static_cast<float>(args_.factor * kLog2E));
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
    multiply(table.skinny_f32,
             {key, args_.size, false, queries(panel), call_.panel, scores_, call_.panel, keys,
              call_.panel, args_.size, false},
             [this] { fetch_some(); });
    call_.apply_causal_mask(scores_, call_.panel, first, keys, first_ + at);
    const bool moved = table.attention.weights(scores_, keys, largest_ + at, sums_ + at, rescale_);
    if (first > 0 && moved) table.attention.scale(outs(panel), args_.values, call_.panel, rescale_);
    multiply(table.skinny_f32,
             {value, args_.values, true, scores_, call_.panel, outs(panel), call_.panel,
              args_.values, call_.panel, keys, first > 0},
             [this] { fetch_some(); });
  }

  /// Of the next group's queries, and of the rows that get results: all while this group runs.
  void fetch_group(std::int64_t keys, const Group& next) {
    std::int64_t blocks = 0;
    for (std::int64_t i = 0; i < panels_; ++i)
      blocks += ceil_div(std::min(keys, call_.seen(first_ + (i + 1) * call_.panel)), kKeys);
    const std::int64_t row = product_ * args_.length + first_;
    const std::int64_t next_row = next.product * args_.length + next.first;
    const std::int64_t next_count = std::min(call_.width, args_.length - next.first);
    group_ahead_.clear();
    group_ahead_.add(row_of(args_.query, next_row, args_.size), next_count * args_.size);
    group_ahead_.add(row_of(args_.out, row, args_.values), count_ * args_.values);
    group_ahead_.begin(blocks * tiles());
  }
  /// Of the block of keys and values from `key` on, while the panels run.
  void fetch_block(std::int64_t product, std::int64_t key) {
    const std::int64_t row = product * args_.keys + key;
    const std::int64_t keys = std::min(kKeys, args_.keys - key);
    block_ahead_.clear();
    block_ahead_.add(row_of(args_.key, row, args_.size), keys * args_.size);
    block_ahead_.add(row_of(args_.value, row, args_.values), keys * args_.values);
    block_ahead_.begin(panels_ * tiles());
  }
  /// At least so many has a panel's block.
  std::int64_t tiles() const { return (kKeys + args_.values) / 12; }
  void fetch_some() {
    block_ahead_.some();
    group_ahead_.some();
  }

  void finish(std::int64_t panel) {
    const std::int64_t at = panel * call_.panel, row = product_ * args_.length + first_ + at;
    for (std::int64_t j = 0; j < call_.panel; ++j) rescale_[j] = 1.0F / sums_[at + j];
    call_.table.attention.scale(outs(panel), args_.values, call_.panel, rescale_);
    call_.transpose(static_cast<float*>(args_.out) + row * args_.values, args_.values, outs(panel),
                    call_.panel, args_.values, columns(panel));
    if (args_.log_sums == nullptr) return;
    float* logs = static_cast<float*>(args_.log_sums) + row;
    call_.table.unary[static_cast<int>(UnaryOp::kLog2)][index_of(DType::kFloat32)](logs, sums_ + at,
                                                                                   columns(panel));
    for (std::int64_t j = 0; j < columns(panel); ++j) logs[j] += largest_[at + j];
  }

  const Call& call_;
  const AttentionArgs& args_;
  float *queries_, *outs_, *scores_, *largest_, *sums_, *rescale_;
  Ahead block_ahead_, group_ahead_;
  std::int64_t product_ = 0, first_ = 0, count_ = 0, panels_ = 0;
};

}  // namespace
}  // namespace cpu_attention

void CpuOps::attention(const AttentionArgs& args, StreamRef) {
  using namespace cpu_attention;
  const Call call(
      table_, args,
      group_panels(args.batch, ceil_div<std::int64_t>(args.length, table_.skinny_f32.columns)));
  const std::int64_t units = args.batch * call.groups;
  for_each_unit(workspace_, units, Forward::floats(call), [&](std::int64_t unit, float* memory) {
    // Groups of a product follow each other: they read the same keys and values. The last queries
    // of a causal call see the most keys: they come first.
    const auto group = [&](std::int64_t i) {
      return Group{i / call.groups, (call.groups - 1 - i % call.groups) * call.width};
    };
    const std::int64_t next = unit + std::min<std::int64_t>(units, available_threads());
    Forward(call, memory).run(group(unit), group(std::min(next, units - 1)));
  });
}

}  // namespace gpukit::cpu
