// An example for each function, method and attribute that says no other in its row.
#include "bindings/examples.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "ops/elementwise_table.h"

namespace gpukit::bindings {

namespace {

struct Example {
  std::string_view name;
  std::string_view text;  ///< what is typed, behind >>>, and what comes back
};

// In the order of the names. tests/layout/test_examples.py runs them.
// clang-format off
constexpr Example kExamples[] = {
  {"T", ">>> gpukit.ones(2, 3).T.shape\n" "(3, 2)"},
  {"abs_", ">>> gpukit.tensor([-1.0, 2.0]).abs_()\n" "tensor([1., 2.])"},
  {"absolute", ">>> gpukit.absolute(gpukit.tensor([-1.5, 2.0]))\n" "tensor([1.5000, 2.0000])"},
  {"add_", ">>> gpukit.ones(2).add_(3, alpha=2)\n" "tensor([7., 7.])"},
  {"addmm", ">>> gpukit.addmm(gpukit.ones(2), gpukit.eye(2), gpukit.eye(2))\n" "tensor([[2., 1.],\n" "        [1., 2.]])"},
  {"all", ">>> gpukit.all(gpukit.tensor([True, False]))\n" "tensor(False)"},
  {"allclose", ">>> gpukit.allclose(gpukit.ones(2), gpukit.ones(2) + 1e-7)\n" "True"},
  {"amax", ">>> gpukit.amax(gpukit.tensor([[1, 5], [3, 2]]), dim=1)\n" "tensor([5, 3])"},
  {"amin", ">>> gpukit.amin(gpukit.tensor([[1, 5], [3, 2]]), dim=1)\n" "tensor([1, 2])"},
  {"any", ">>> gpukit.any(gpukit.tensor([[True, False], [False, False]]), dim=1)\n" "tensor([ True, False])"},
  {"argmin", ">>> gpukit.argmin(gpukit.tensor([4.0, 1.0, 2.0])).item()\n" "1"},
  {"argsort", ">>> gpukit.argsort(gpukit.tensor([3, 1, 2]))\n" "tensor([1, 2, 0])"},
  {"as_subclass", ">>> Named = type(\"Named\", (gpukit.Tensor,), {})\n" ">>> type(gpukit.ones(1).as_subclass(Named)).__name__\n" "'Named'"},
  {"asarray", ">>> gpukit.asarray([1.0, 2.0])\n" "tensor([1., 2.])"},
  {"bfloat16", ">>> gpukit.ones(1).bfloat16().dtype\n" "gpukit.bfloat16"},
  {"block_until_ready", ">>> gpukit.ones(2).block_until_ready()\n" "tensor([1., 1.])"},
  {"bmm", ">>> gpukit.bmm(gpukit.ones(2, 3, 4), gpukit.ones(2, 4, 5)).shape\n" "(2, 3, 5)"},
  {"bool", ">>> gpukit.tensor([0, 3]).bool()\n" "tensor([False,  True])"},
  {"broadcast_tensors", ">>> [x.shape for x in gpukit.broadcast_tensors(gpukit.ones(3, 1), gpukit.ones(2))]\n" "[(3, 2), (3, 2)]"},
  {"broadcast_to", ">>> gpukit.broadcast_to(gpukit.tensor([1, 2]), (2, 2))\n" "tensor([[1, 2],\n" "        [1, 2]])"},
  {"ceil_", ">>> gpukit.tensor([1.2]).ceil_()\n" "tensor([2.])"},
  {"chunk", ">>> gpukit.chunk(gpukit.arange(5), 2)\n" "(tensor([0, 1, 2]), tensor([3, 4]))"},
  {"clamp_", ">>> gpukit.tensor([-2, 0, 7]).clamp_(0, 5)\n" "tensor([0, 0, 5])"},
  {"clip", ">>> gpukit.clip(gpukit.tensor([-2, 0, 7]), 0, 5)\n" "tensor([0, 0, 5])"},
  {"clip_", ">>> gpukit.tensor([-2, 0, 7]).clip_(0, 5)\n" "tensor([0, 0, 5])"},
  {"clone", ">>> x = gpukit.ones(2)\n" ">>> y = gpukit.clone(x)\n" ">>> y[0] = 5\n" ">>> x, y\n" "(tensor([1., 1.]), tensor([5., 1.]))"},
  {"concat", ">>> gpukit.concat([gpukit.zeros(1), gpukit.ones(2)])\n" "tensor([0., 1., 1.])"},
  {"concatenate", ">>> gpukit.concatenate([gpukit.zeros(1), gpukit.ones(2)])\n" "tensor([0., 1., 1.])"},
  {"contiguous", ">>> gpukit.ones(2, 3).t().contiguous().is_contiguous()\n" "True"},
  {"copy_", ">>> gpukit.zeros(2, 2).copy_(gpukit.tensor([1, 2]))\n" "tensor([[1., 2.],\n" "        [1., 2.]])"},
  {"cos_", ">>> gpukit.zeros(2).cos_()\n" "tensor([1., 1.])"},
  {"count_nonzero", ">>> gpukit.count_nonzero(gpukit.tensor([0, 3, 0, 4])).item()\n" "2"},
  {"cpu", ">>> gpukit.ones(2).cpu().device\n" "device(type='cpu')"},
  {"cuda", ">>> device = gpukit.try_gpu(quiet=True)\n" ">>> x = gpukit.ones(2).cuda() if device.type == \"cuda\" else gpukit.ones(2)\n" ">>> x.device.type == device.type\n" "True"},
  {"cumprod", ">>> gpukit.cumprod(gpukit.tensor([1, 2, 3, 4]), 0)\n" "tensor([ 1,  2,  6, 24])"},
  {"data", ">>> gpukit.ones(1, requires_grad=True).data.requires_grad\n" "False"},
  {"data_ptr", ">>> x = gpukit.ones(2, 3)\n" ">>> x.t().data_ptr() == x.data_ptr()\n" "True"},
  {"detach", ">>> gpukit.ones(1, requires_grad=True).detach().requires_grad\n" "False"},
  {"device", ">>> gpukit.ones(1).device\n" "device(type='cpu')"},
  {"diagonal", ">>> gpukit.diagonal(gpukit.tensor([[1, 2], [3, 4]]))\n" "tensor([1, 4])"},
  {"dim", ">>> gpukit.ones(2, 3).dim()\n" "2"},
  {"div_", ">>> gpukit.ones(2).div_(4)\n" "tensor([0.2500, 0.2500])"},
  {"divide", ">>> gpukit.divide(gpukit.tensor([1, 2]), 2)\n" "tensor([0.5000, 1.0000])"},
  {"dot", ">>> gpukit.dot(gpukit.tensor([1.0, 2.0]), gpukit.tensor([3.0, 4.0]))\n" "tensor(11.)"},
  {"double", ">>> gpukit.ones(1).double().dtype\n" "gpukit.float64"},
  {"dtype", ">>> gpukit.ones(1).dtype\n" "gpukit.float32"},
  {"element_size", ">>> gpukit.ones(1).element_size()\n" "4"},
  {"empty", ">>> gpukit.empty(2, 3).shape\n" "(2, 3)"},
  {"empty_like", ">>> gpukit.empty_like(gpukit.ones(2, 3)).shape\n" "(2, 3)"},
  {"equal", ">>> gpukit.equal(gpukit.tensor([1, 2]), gpukit.tensor([1, 2]))\n" "True"},
  {"exp_", ">>> gpukit.zeros(2).exp_()\n" "tensor([1., 1.])"},
  {"expand", ">>> gpukit.tensor([[1], [2]]).expand(2, 3)\n" "tensor([[1, 1, 1],\n" "        [2, 2, 2]])"},
  {"expand_as", ">>> gpukit.tensor([[1], [2]]).expand_as(gpukit.ones(2, 3))\n" "tensor([[1, 1, 1],\n" "        [2, 2, 2]])"},
  {"eye", ">>> gpukit.eye(2)\n" "tensor([[1., 0.],\n" "        [0., 1.]])"},
  {"fill_", ">>> gpukit.zeros(2).fill_(7)\n" "tensor([7., 7.])"},
  {"flatten", ">>> gpukit.flatten(gpukit.ones(2, 3, 4), start_dim=1).shape\n" "(2, 12)"},
  {"flip", ">>> gpukit.flip(gpukit.arange(3), 0)\n" "tensor([2, 1, 0])"},
  {"float", ">>> gpukit.tensor([1, 2]).float()\n" "tensor([1., 2.])"},
  {"floor_", ">>> gpukit.tensor([1.8]).floor_()\n" "tensor([1.])"},
  {"floor_divide_", ">>> gpukit.tensor([7, -7]).floor_divide_(2)\n" "tensor([ 3, -4])"},
  {"full_like", ">>> gpukit.full_like(gpukit.ones(2), 5)\n" "tensor([5., 5.])"},
  {"gather", ">>> gpukit.gather(gpukit.tensor([[1, 2], [3, 4]]), 1, gpukit.tensor([[1], [0]]))\n" "tensor([[2],\n" "        [3]])"},
  {"get_device", ">>> gpukit.ones(1).get_device()\n" "-1"},
  {"grad", ">>> x = gpukit.tensor([3.0], requires_grad=True)\n" ">>> (x * x).sum().backward()\n" ">>> x.grad\n" "tensor([6.])"},
  {"grad_fn", ">>> (gpukit.ones(2, requires_grad=True) * 2).grad_fn.name()\n" "'MulBackward0'"},
  {"greater", ">>> gpukit.greater(gpukit.tensor([1, 2, 3]), 2)\n" "tensor([False, False,  True])"},
  {"greater_equal", ">>> gpukit.greater_equal(gpukit.tensor([1, 2, 3]), 2)\n" "tensor([False,  True,  True])"},
  {"half", ">>> gpukit.ones(1).half().dtype\n" "gpukit.float16"},
  {"hstack", ">>> gpukit.hstack([gpukit.ones(2, 1), gpukit.zeros(2, 1)])\n" "tensor([[1., 0.],\n" "        [1., 0.]])"},
  {"index_add_", ">>> gpukit.zeros(3).index_add_(0, gpukit.tensor([0, 2, 2]), gpukit.ones(3))\n" "tensor([1., 0., 2.])"},
  {"int", ">>> gpukit.tensor([1.7]).int()\n" "tensor([1], dtype=gpukit.int32)"},
  {"is_contiguous", ">>> gpukit.ones(2, 3).t().is_contiguous()\n" "False"},
  {"is_cpu", ">>> gpukit.ones(1).is_cpu\n" "True"},
  {"is_cuda", ">>> gpukit.ones(1).is_cuda\n" "False"},
  {"is_floating_point", ">>> gpukit.is_floating_point(gpukit.ones(1))\n" "True"},
  {"is_leaf", ">>> x = gpukit.ones(1, requires_grad=True)\n" ">>> x.is_leaf, (x * 2).is_leaf\n" "(True, False)"},
  {"is_pinned", ">>> gpukit.ones(1).is_pinned()\n" "False"},
  {"isclose", ">>> gpukit.isclose(gpukit.tensor([1.0, 2.0]), gpukit.tensor([1.0, 2.1]))\n" "tensor([ True, False])"},
  {"itemsize", ">>> gpukit.ones(1).itemsize\n" "4"},
  {"layout", ">>> gpukit.ones(1).layout\n" "'strided'"},
  {"less", ">>> gpukit.less(gpukit.tensor([1, 2, 3]), 2)\n" "tensor([ True, False, False])"},
  {"less_equal", ">>> gpukit.less_equal(gpukit.tensor([1, 2, 3]), 2)\n" "tensor([ True,  True, False])"},
  {"linear", ">>> x, weight = gpukit.ones(2, 3), gpukit.ones(4, 3)\n>>> gpukit.nn.functional.linear(x, weight).shape\n" "(2, 4)"},
  {"log_", ">>> gpukit.ones(2).log_()\n" "tensor([0., 0.])"},
  {"log_softmax", ">>> gpukit.log_softmax(gpukit.zeros(2), 0)\n" "tensor([-0.6931, -0.6931])"},
  {"logsumexp", ">>> gpukit.logsumexp(gpukit.tensor([1000.0, 1000.0]), 0)\n" "tensor(1000.6932)"},
  {"long", ">>> gpukit.tensor([1.7]).long()\n" "tensor([1])"},
  {"mT", ">>> gpukit.ones(4, 2, 3).mT.shape\n" "(4, 3, 2)"},
  {"masked_fill", ">>> gpukit.masked_fill(gpukit.arange(3), gpukit.tensor([True, False, True]), 9)\n" "tensor([9, 1, 9])"},
  {"masked_fill_", ">>> gpukit.arange(3).masked_fill_(gpukit.tensor([True, False, True]), 9)\n" "tensor([9, 1, 9])"},
  {"masked_select", ">>> gpukit.masked_select(gpukit.arange(3), gpukit.tensor([True, False, True]))\n" "tensor([0, 2])"},
  {"min", ">>> gpukit.min(gpukit.tensor([[1, 5], [3, 2]]), dim=1).values\n" "tensor([1, 2])"},
  {"mm", ">>> gpukit.mm(gpukit.tensor([[1.0, 2.0]]), gpukit.tensor([[3.0], [4.0]]))\n" "tensor([[11.]])"},
  {"movedim", ">>> gpukit.movedim(gpukit.ones(2, 3, 4), 0, -1).shape\n" "(3, 4, 2)"},
  {"mul_", ">>> gpukit.ones(2).mul_(3)\n" "tensor([3., 3.])"},
  {"multiply", ">>> gpukit.multiply(gpukit.tensor([1, 2]), 3)\n" "tensor([3, 6])"},
  {"mv", ">>> gpukit.mv(gpukit.tensor([[1.0, 2.0], [3.0, 4.0]]), gpukit.ones(2))\n" "tensor([3., 7.])"},
  {"narrow", ">>> gpukit.narrow(gpukit.arange(5), 0, 1, 3)\n" "tensor([1, 2, 3])"},
  {"nbytes", ">>> gpukit.ones(2, 3).nbytes\n" "24"},
  {"ndim", ">>> gpukit.ones(2, 3).ndim\n" "2"},
  {"ndimension", ">>> gpukit.ones(2, 3).ndimension()\n" "2"},
  {"neg_", ">>> gpukit.ones(2).neg_()\n" "tensor([-1., -1.])"},
  {"negative", ">>> gpukit.negative(gpukit.tensor([1, -2]))\n" "tensor([-1,  2])"},
  {"nelement", ">>> gpukit.ones(2, 3).nelement()\n" "6"},
  {"new_empty", ">>> gpukit.ones(1, dtype=gpukit.int8).new_empty((2, 3)).dtype\n" "gpukit.int8"},
  {"new_ones", ">>> gpukit.zeros(1, dtype=gpukit.int8).new_ones((2,))\n" "tensor([1, 1], dtype=gpukit.int8)"},
  {"new_tensor", ">>> gpukit.ones(1).new_tensor([1, 2])\n" "tensor([1., 2.])"},
  {"new_zeros", ">>> gpukit.ones(1).new_zeros((2,))\n" "tensor([0., 0.])"},
  {"nonzero", ">>> gpukit.nonzero(gpukit.tensor([0, 3, 0, 4]))\n" "tensor([[1],\n" "        [3]])"},
  {"normal_", ">>> gpukit.empty(1000).normal_(mean=5).mean().item() > 4\n" "True"},
  {"not_equal", ">>> gpukit.not_equal(gpukit.tensor([1, 2]), 2)\n" "tensor([ True, False])"},
  {"numel", ">>> gpukit.ones(2, 3).numel()\n" "6"},
  {"ones_like", ">>> gpukit.ones_like(gpukit.zeros(2))\n" "tensor([1., 1.])"},
  {"outer", ">>> gpukit.outer(gpukit.tensor([1, 2]), gpukit.tensor([3, 4]))\n" "tensor([[3, 4],\n" "        [6, 8]])"},
  {"permute_dims", ">>> gpukit.permute_dims(gpukit.ones(2, 3, 4), (2, 0, 1)).shape\n" "(4, 2, 3)"},
  {"pin_memory", ">>> x = gpukit.ones(2).pin_memory() if gpukit.cuda.is_available() else gpukit.ones(2)\n" ">>> x.is_pinned() == gpukit.cuda.is_available()\n" "True"},
  {"positive", ">>> gpukit.positive(gpukit.tensor([1, -2]))\n" "tensor([ 1, -2])"},
  {"pow_", ">>> gpukit.tensor([2, 3]).pow_(2)\n" "tensor([4, 9])"},
  {"prod", ">>> gpukit.prod(gpukit.tensor([2, 3, 4]))\n" "tensor(24)"},
  {"rand_like", ">>> gpukit.rand_like(gpukit.ones(2, 3)).shape\n" "(2, 3)"},
  {"randn_like", ">>> gpukit.randn_like(gpukit.ones(2, 3)).shape\n" "(2, 3)"},
  {"randperm", ">>> sorted(gpukit.randperm(4).tolist())\n" "[0, 1, 2, 3]"},
  {"ravel", ">>> gpukit.ravel(gpukit.ones(2, 3)).shape\n" "(6,)"},
  {"reciprocal_", ">>> gpukit.tensor([2.0, 4.0]).reciprocal_()\n" "tensor([0.5000, 0.2500])"},
  {"register_hook", ">>> x = gpukit.ones(1, requires_grad=True)\n" ">>> handle = x.register_hook(lambda gradient: gradient * 10)\n" ">>> (x * 2).sum().backward()\n" ">>> x.grad\n" "tensor([20.])"},
  {"relu_", ">>> gpukit.tensor([-1.0, 2.0]).relu_()\n" "tensor([0., 2.])"},
  {"remainder_", ">>> gpukit.tensor([7, -7]).remainder_(3)\n" "tensor([1, 2])"},
  {"repeat", ">>> gpukit.tensor([1, 2]).repeat(2, 2)\n" "tensor([[1, 2, 1, 2],\n" "        [1, 2, 1, 2]])"},
  {"requires_grad", ">>> gpukit.ones(1, requires_grad=True).requires_grad\n" "True"},
  {"requires_grad_", ">>> gpukit.ones(1).requires_grad_()\n" "tensor([1.], requires_grad=True)"},
  {"reshape_as", ">>> gpukit.arange(4).reshape_as(gpukit.ones(2, 2))\n" "tensor([[0, 1],\n" "        [2, 3]])"},
  {"retain_grad", ">>> x = gpukit.ones(1, requires_grad=True)\n" ">>> y = x * 2\n" ">>> y.retain_grad()\n" ">>> (y * 3).sum().backward()\n" ">>> y.grad\n" "tensor([3.])"},
  {"retains_grad", ">>> x = gpukit.ones(1, requires_grad=True)\n" ">>> y = x * 2\n" ">>> y.retain_grad()\n" ">>> y.retains_grad\n" "True"},
  {"round_", ">>> gpukit.tensor([2.6]).round_()\n" "tensor([3.])"},
  {"rsqrt_", ">>> gpukit.tensor([4.0, 16.0]).rsqrt_()\n" "tensor([0.5000, 0.2500])"},
  {"scatter", ">>> gpukit.scatter(gpukit.zeros(3), 0, gpukit.tensor([2, 0]), gpukit.tensor([5.0, 6.0]))\n" "tensor([6., 0., 5.])"},
  {"scatter_", ">>> gpukit.zeros(3).scatter_(0, gpukit.tensor([2, 0]), gpukit.tensor([5.0, 6.0]))\n" "tensor([6., 0., 5.])"},
  {"scatter_add", ">>> gpukit.scatter_add(gpukit.zeros(2), 0, gpukit.tensor([1, 1]), gpukit.ones(2))\n" "tensor([0., 2.])"},
  {"scatter_add_", ">>> gpukit.zeros(2).scatter_add_(0, gpukit.tensor([1, 1]), gpukit.ones(2))\n" "tensor([0., 2.])"},
  {"select", ">>> gpukit.tensor([[1, 2], [3, 4]]).select(1, 0)\n" "tensor([1, 3])"},
  {"shape", ">>> gpukit.ones(2, 3).shape\n" "(2, 3)"},
  {"sigmoid_", ">>> gpukit.zeros(2).sigmoid_()\n" "tensor([0.5000, 0.5000])"},
  {"sin_", ">>> gpukit.zeros(2).sin_()\n" "tensor([0., 0.])"},
  {"size", ">>> gpukit.ones(2, 3).size(), gpukit.ones(2, 3).size(1)\n" "((2, 3), 3)"},
  {"softmax", ">>> gpukit.softmax(gpukit.zeros(4), 0)\n" "tensor([0.2500, 0.2500, 0.2500, 0.2500])"},
  {"split", ">>> gpukit.split(gpukit.arange(5), [2, 3])\n" "(tensor([0, 1]), tensor([2, 3, 4]))"},
  {"sqrt_", ">>> gpukit.tensor([4.0, 9.0]).sqrt_()\n" "tensor([2., 3.])"},
  {"squeeze", ">>> gpukit.squeeze(gpukit.ones(1, 3, 1)).shape\n" "(3,)"},
  {"stack", ">>> gpukit.stack([gpukit.zeros(2), gpukit.ones(2)])\n" "tensor([[0., 0.],\n" "        [1., 1.]])"},
  {"std", ">>> gpukit.std(gpukit.tensor([1.0, 2.0, 3.0]))\n" "tensor(1.)"},
  {"storage_offset", ">>> gpukit.arange(5)[2:].storage_offset()\n" "2"},
  {"stride", ">>> gpukit.ones(2, 3).stride()\n" "(3, 1)"},
  {"sub_", ">>> gpukit.ones(2).sub_(3)\n" "tensor([-2., -2.])"},
  {"subtract", ">>> gpukit.subtract(gpukit.tensor([5, 6]), 1)\n" "tensor([4, 5])"},
  {"swapaxes", ">>> gpukit.swapaxes(gpukit.ones(2, 3), 0, 1).shape\n" "(3, 2)"},
  {"t", ">>> gpukit.t(gpukit.tensor([[1, 2], [3, 4]]))\n" "tensor([[1, 3],\n" "        [2, 4]])"},
  {"take", ">>> gpukit.take(gpukit.tensor([[1, 2], [3, 4]]), gpukit.tensor([0, 3]))\n" "tensor([1, 4])"},
  {"tanh_", ">>> gpukit.zeros(2).tanh_()\n" "tensor([0., 0.])"},
  {"to_device", ">>> gpukit.ones(2).to_device(\"cpu\").device\n" "device(type='cpu')"},
  {"tobytes", ">>> gpukit.tensor([1, 2], dtype=gpukit.uint8).tobytes()\n" "b'\\x01\\x02'"},
  {"tolist", ">>> gpukit.tensor([[1, 2], [3, 4]]).tolist()\n" "[[1, 2], [3, 4]]"},
  {"topk", ">>> gpukit.topk(gpukit.tensor([3, 1, 2]), 2).values\n" "tensor([3, 2])"},
  {"trace", ">>> gpukit.trace(gpukit.tensor([[1, 2], [3, 4]]))\n" "tensor(5)"},
  {"transpose", ">>> gpukit.transpose(gpukit.ones(2, 3), 0, 1).shape\n" "(3, 2)"},
  {"tril", ">>> gpukit.tril(gpukit.ones(2, 2))\n" "tensor([[1., 0.],\n" "        [1., 1.]])"},
  {"triu", ">>> gpukit.triu(gpukit.ones(2, 2))\n" "tensor([[1., 1.],\n" "        [0., 1.]])"},
  {"true_divide", ">>> gpukit.true_divide(gpukit.tensor([1, 2]), 2)\n" "tensor([0.5000, 1.0000])"},
  {"type", ">>> gpukit.ones(1).type(gpukit.int32)\n" "tensor([1], dtype=gpukit.int32)"},
  {"unbind", ">>> gpukit.unbind(gpukit.tensor([[1, 2], [3, 4]]))\n" "(tensor([1, 2]), tensor([3, 4]))"},
  {"uniform_", ">>> 0 <= gpukit.empty(3).uniform_(0, 2).max().item() < 2\n" "True"},
  {"unique", ">>> gpukit.unique(gpukit.tensor([3, 1, 3]))\n" "tensor([1, 3])"},
  {"unsqueeze", ">>> gpukit.unsqueeze(gpukit.ones(3), 0).shape\n" "(1, 3)"},
  {"unstack", ">>> gpukit.unstack(gpukit.tensor([[1, 2], [3, 4]]))\n" "(tensor([1, 2]), tensor([3, 4]))"},
  {"var", ">>> gpukit.var(gpukit.tensor([1.0, 2.0, 3.0]))\n" "tensor(1.)"},
  {"vecdot", ">>> gpukit.vecdot(gpukit.ones(2, 3), gpukit.ones(2, 3))\n" "tensor([3., 3.])"},
  {"view", ">>> gpukit.arange(6).view(2, -1)\n" "tensor([[0, 1, 2],\n" "        [3, 4, 5]])"},
  {"view_as", ">>> gpukit.arange(4).view_as(gpukit.ones(2, 2))\n" "tensor([[0, 1],\n" "        [2, 3]])"},
  {"vstack", ">>> gpukit.vstack([gpukit.zeros(2), gpukit.ones(2)])\n" "tensor([[0., 0.],\n" "        [1., 1.]])"},
  {"where", ">>> gpukit.where(gpukit.tensor([True, False]), 1, 0)\n" "tensor([1, 0])"},
  {"zero_", ">>> gpukit.ones(2).zero_()\n" "tensor([0., 0.])"},
  {"zeros_like", ">>> gpukit.zeros_like(gpukit.ones(2))\n" "tensor([0., 0.])"},
};
// clang-format on

constexpr bool in_order() {
  for (std::size_t i = 1; i < std::size(kExamples); ++i)
    if (kExamples[i].name <= kExamples[i - 1].name) return false;
  return true;
}
static_assert(in_order());

std::string indented(std::string_view text) {
  std::string result = "    ";
  for (const char letter : text) {
    result += letter;
    if (letter == '\n') result += "    ";
  }
  return result;
}

std::string_view written_example(std::string_view name) {
  const Example* found =
      std::lower_bound(std::begin(kExamples), std::end(kExamples), name,
                       [](const Example& row, std::string_view key) { return row.name < key; });
  return found != std::end(kExamples) && found->name == name ? found->text : std::string_view();
}

/// An in-place form gives its tensor back.
std::string in_place_example(std::string_view name, const ops::ElementwiseName& form) {
  const Domain domain = form.row->domain;
  const bool integers = domain == Domain::kBitwise || domain == Domain::kShift;
  return concat(">>> x = gpukit.ones(2", integers ? ", dtype=gpukit.int64" : "", ")\n>>> x.", name,
                form.operands == 1 ? "()" : "(2)", " is x\nTrue");
}

std::string example_of(std::string_view name) {
  if (const std::string_view text = written_example(name); !text.empty()) return std::string(text);
  const ops::ElementwiseName* form = ops::find_elementwise(name);
  if (form == nullptr) return {};
  return form->in_place ? in_place_example(name, *form) : form->row->example;
}

}  // namespace

std::string with_example(std::string_view name, std::string_view doc) {
  std::string result(doc);
  if (doc.find(">>>") != std::string_view::npos) return result;
  const std::string example = example_of(name);
  if (example.empty()) return result;
  return result + "\n\nExample:\n    >>> import gpukit\n" + indented(example) + "\n";
}

}  // namespace gpukit::bindings
