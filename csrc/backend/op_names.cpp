#include "backend/op_names.h"

#include <iterator>

namespace gpukit {

namespace {

constexpr std::string_view kUnaryNames[] = {
#define GK_UNARY(code, name, ...) #name,
#include "kernels/elementwise.def"
};

constexpr std::string_view kBinaryNames[] = {
#define GK_BINARY(code, name, ...) #name,
#include "kernels/elementwise.def"
};

constexpr std::string_view kReduceNames[] = {"sum", "mean",   "prod",   "max",
                                             "min", "argmax", "argmin", "all",
                                             "any", "norm",   "norm",   "count_nonzero"};

static_assert(std::size(kReduceNames) == static_cast<int>(ReduceOp::kCount));

}  // namespace

std::string_view operator_name(UnaryOp op) noexcept { return kUnaryNames[static_cast<int>(op)]; }
std::string_view operator_name(BinaryOp op) noexcept { return kBinaryNames[static_cast<int>(op)]; }
std::string_view operator_name(ReduceOp op) noexcept { return kReduceNames[static_cast<int>(op)]; }

}  // namespace gpukit
