#include "base/check.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/layers.h"

namespace gpukit::ops {

namespace attention_op {
namespace {

constexpr const char* kOp = "attention";

Tensor operand(const char* what, const Tensor& given, const Tensor& query, const Shape& shape) {
  GPUKIT_CHECK(given.shape() == shape, ShapeError, kOp, ": ", what, " is ",
               to_string(given.shape()), "; ", to_string(shape), " is needed.");
  GPUKIT_CHECK(given.dtype() == query.dtype(), DTypeError, kOp, ": ", what, " is ",
               name(given.dtype()), ", query ", name(query.dtype()), ".");
  check_same_device(kOp, query, given);
  return contiguous(given);
}

/// The operands of a call, checked and contiguous.
struct Operands {
  Operands(const Tensor& q, const Tensor& k, const Tensor& v) {
    GPUKIT_CHECK(q.rank() == 3 && k.rank() == 3 && v.rank() == 3, ShapeError, kOp, ": query is ",
                 to_string(q.shape()), ", key ", to_string(k.shape()), ", value ",
                 to_string(v.shape()), "; three dimensions are needed.");
    GPUKIT_CHECK(has_attention(q), DTypeError, kOp, ": query is ", name(q.dtype()),
                 "; the device computes it in float32.");
    query = contiguous(q);
    key = operand("key", k, q, Shape{q.size(0), k.size(1), q.size(2)});
    value = operand("value", v, q, Shape{q.size(0), k.size(1), v.size(2)});
  }

  AttentionArgs args(double factor, bool causal) const {
    AttentionArgs result;
    result.batch = query.size(0);
    result.length = query.size(1);
    result.keys = key.size(1);
    result.size = query.size(2);
    result.values = value.size(2);
    result.factor = factor;
    result.causal = causal;
    result.query = query.data();
    result.key = key.data();
    result.value = value.data();
    return result;
  }
  bool empty() const { return query.count() == 0 || key.count() == 0 || value.count() == 0; }

  Tensor query, key, value;
};

Tensor like(const Tensor& query, const Shape& shape) {
  return empty_on(query.open_device(), shape, query.dtype());
}

}  // namespace
}  // namespace attention_op

bool has_attention(const Tensor& query) { return Call(query).ops.has_attention(query.dtype()); }

Attention attention(const Tensor& query, const Tensor& key, const Tensor& value, double factor,
                    bool causal) {
  const attention_op::Operands in(query, key, value);
  AttentionArgs args = in.args(factor, causal);
  Attention result{attention_op::like(in.query, Shape{args.batch, args.length, args.values}),
                   attention_op::like(in.query, Shape{args.batch, args.length})};
  GPUKIT_CHECK(!in.empty(), ShapeError, attention_op::kOp, ": query is ", to_string(query.shape()),
               ", key ", to_string(key.shape()), ", value ", to_string(value.shape()),
               "; none may be empty.");
  args.out = result.out.data();
  args.log_sums = result.log_sums.data();
  const Call call(in.query);
  call.use(in.query, in.key, in.value, result.out, result.log_sums);
  call.ops.attention(args, call.stream);
  return result;
}

AttentionGradients attention_backward(const Tensor& query, const Tensor& key, const Tensor& value,
                                      const Attention& forward, const Tensor& gradient,
                                      double factor, bool causal) {
  using attention_op::like;
  using attention_op::operand;
  const attention_op::Operands in(query, key, value);
  AttentionBackwardArgs args;
  args.forward = in.args(factor, causal);
  const AttentionArgs& sizes = args.forward;
  const Shape shape{sizes.batch, sizes.length, sizes.values};
  const Tensor out = operand("out", forward.out, query, shape);
  const Tensor g = operand("the gradient", gradient, query, shape);
  const Tensor logs =
      operand("log_sums", forward.log_sums, query, Shape{sizes.batch, sizes.length});
  AttentionGradients result{like(query, query.shape()), like(query, key.shape()),
                            like(query, value.shape())};
  GPUKIT_CHECK(!in.empty(), ShapeError, attention_op::kOp, ": query is ", to_string(query.shape()),
               ", key ", to_string(key.shape()), ", value ", to_string(value.shape()),
               "; none may be empty.");
  args.forward.out = out.data();
  args.forward.log_sums = logs.data();
  args.gradient = g.data();
  args.query_gradient = result.query.data();
  args.key_gradient = result.key.data();
  args.value_gradient = result.value.data();
  const Call call(in.query);
  call.use(in.query, in.key, in.value, out, g, logs);
  call.use(result.query, result.key, result.value);
  call.ops.attention_backward(args, call.stream);
  return result;
}

}  // namespace gpukit::ops
