// What each function takes, gives and raises: one row for all that are alike.
#include "bindings/facts.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ops/elementwise_table.h"

namespace gpukit::bindings {

namespace {

/// Texts of several lines have one entry a line, "name: what it is".
struct Facts {
  std::string_view names;       ///< of the functions, with spaces between them
  std::string_view parameters;  ///< those that kShared does not describe rightly
  std::string_view returns;
  std::string_view raises;
};

// Parameters that mean the same in most functions.
constexpr std::string_view kShared =
    "input: a tensor of any shape and dtype.\n"
    "other: a tensor that broadcasts with input on the same device, or a number.\n"
    "dim: the dimension, counted from the end when negative.\n"
    "keepdim: keep reduced dimensions as dimensions of size 1.\n"
    "dtype: a dtype or its name, for the result; None is the one under Returns.\n"
    "device: where the result lies; None is the default device.\n"
    "requires_grad: record what is done with the result; floating dtypes only.\n"
    "pin_memory: on the CPU, in page-locked memory, which needs a CUDA device.\n"
    "generator: a gpukit.Generator to draw from; None is the one that manual_seed sets.\n"
    "out: a tensor for the result, of its shape and of a dtype that can hold it.\n";

#define GK_DEVICES "DeviceMismatchError: the tensors are on different devices.\n"
#define GK_BROADCAST "ShapeError: the shapes do not broadcast.\n" GK_DEVICES
#define GK_DIM "IndexError: dim is not a dimension of the tensor.\n"
#define GK_PLACE                                \
  "InvalidDeviceError: device is no device.\n"  \
  "DeviceNotFoundError: device is not there.\n" \
  "MemoryError: it does not fit (on a GPU OutOfMemoryError).\n"
#define GK_CREATE \
  "DTypeError: dtype is unknown, or not a floating one with requires_grad.\n" GK_PLACE
#define GK_TWICE "ValueError: a dimension is named twice.\n"
#define GK_ORDER                                                                          \
  "IndexError: there is no such dimension.\nShapeError: not all dimensions are listed.\n" \
  "ValueError: one is listed twice.\n"
#define GK_FITS "RangeError: the number does not fit into the dtype.\n"
#define GK_LEAF \
  "AutogradError: the tensor is a leaf that requires a gradient (of the forms in place).\n"
#define GK_IN_PLACE                                          \
  "DTypeError: the tensor's dtype cannot hold the result.\n" \
  "AutogradError: the tensor is a leaf that requires a gradient.\n"
#define GK_IN_PLACE_OTHER \
  "ShapeError: other does not broadcast to the tensor.\n" GK_DEVICES GK_IN_PLACE
#define GK_INDEX_DEVICE \
  "DeviceMismatchError: they are on different devices; an index may stay on the CPU.\n"
#define GK_INDEX                                                               \
  "DTypeError: index is not of an integer dtype.\n"                            \
  "IndexError: an index or dim is out of range; of a GPU's index at the next " \
  "wait.\n" GK_INDEX_DEVICE
#define GK_INTO_OWN "shape, dtype and device of the tensor."

// clang-format off
constexpr Facts kFacts[] = {
  // Elementwise operators that their domain does not describe (see kUnaryFacts and kBinaryFacts).
  {"round", "decimals: digits behind the decimal point; negative ones before it.\n", "input's shape and dtype.", "DTypeError: decimals of integers.\nValueError: decimals is beyond the dtype's digits.\n"},
  {"round_", "decimals: digits behind the decimal point; negative ones before it.\n", "the tensor itself.", "DTypeError: decimals of integers.\nValueError: decimals is beyond the dtype's digits.\n" GK_IN_PLACE},
  {"clamp clip", "min: the lower bound, a number; None is no bound.\nmax: the upper bound, likewise; it wins where min is above it.\n",
   "input's shape; the dtype that input and the bounds have in common.", "ValueError: neither min nor max is given.\nRangeError: a bound does not fit into the dtype.\n"},
  // Two operands.
  {"add sub subtract", "alpha: a number that other is multiplied by first, in the dtype of the result.\n",
   "the broadcast shape; the dtype that both have in common, where numbers count by their kind only.", GK_BROADCAST "DTypeError: bool from bool, in sub; or the dtypes have none in common; or alpha is a float for integers, or a bool for others than bool.\nRangeError: alpha does not fit into the result's dtype.\n"},
  {"div divide", "rounding_mode: None, 'floor' (down) or 'trunc' (towards 0).\n",
   "the broadcast shape; floating; with a rounding_mode integers stay integers, and over 0 they give 0.", GK_BROADCAST "DTypeError: both are bool beside a rounding_mode, or the dtypes have none in common.\nValueError: rounding_mode is another one.\n"},
  {"floor_divide remainder", "", "the broadcast shape; the dtype in common. Integers over 0 give 0.", GK_BROADCAST "DTypeError: both are bool, or the dtypes have none in common.\n"},
  {"pow", "exponent: a tensor that broadcasts with input on the same device, or a number.\n", "the broadcast shape; the dtype in common.",
   GK_BROADCAST "DTypeError: both are bool, or the dtypes have none in common.\nValueError: integers to a negative integer number.\nRangeError: exponent does not fit into integers or a half type.\n"},
  {"where", "condition: a bool tensor.\ninput: a tensor or a number.\nother: a tensor or a number.\n",
   "the broadcast shape of all three; the dtype that input and other have in common. A tuple of int64 tensors without them.", GK_BROADCAST "RangeError: a number does not fit into the dtype.\nTypeError: one of input and other is missing.\nDTypeError: condition is not bool, or the dtypes have none in common.\n"},
  {"isclose", "other: a tensor that broadcasts with input.\nrtol: tolerance relative to |other|.\natol: absolute tolerance.\nequal_nan: whether NaN is close to NaN.\n",
   "the broadcast shape; bool.", GK_BROADCAST "DTypeError: uint64 beside signed integers.\n"},
  {"allclose", "other: a tensor that broadcasts with input.\nrtol: tolerance relative to |other|.\natol: absolute tolerance.\nequal_nan: whether NaN is close to NaN.\n",
   "a Python bool: whether all are close.", GK_BROADCAST "DTypeError: uint64 beside signed integers.\n"},
  {"equal", "other: a tensor of any shape.\n", "a Python bool.", GK_DEVICES "DTypeError: uint64 beside signed integers.\n"},
  // In place.
  {"add_ sub_ subtract_", "other: a tensor that broadcasts to this one, or a number.\nalpha: a number that other is multiplied by first, in the dtype that both have in common.\n", "the tensor itself.", GK_IN_PLACE_OTHER "RangeError: alpha does not fit into that dtype.\n"},
  {"div_ divide_", "other: a tensor that broadcasts to this one, or a number.\nrounding_mode: None, 'floor' (down) or 'trunc' (towards 0).\n", "the tensor itself.", GK_IN_PLACE_OTHER "ValueError: rounding_mode is another one.\n"},
  {"pow_", "exponent: a tensor that broadcasts to this one, or a number.\n", "the tensor itself.", GK_IN_PLACE_OTHER "ValueError: integers to a negative integer number.\nRangeError: exponent does not fit into integers or a half type.\n"},
  {"zero_", "", "the tensor itself.", GK_IN_PLACE},
  {"fill_", "value: a number, or a tensor of one element.\n", "the tensor itself.", GK_FITS "ShapeError: value is a tensor of several elements.\nAutogradError: the tensor is a leaf that requires a gradient.\n"},
  {"clamp_ clip_", "min: the lower bound, a number; None is no bound.\nmax: the upper bound, likewise.\n", "the tensor itself.", "ValueError: neither min nor max is given.\nRangeError: a bound does not fit into the dtype.\n" GK_IN_PLACE},
  {"copy_", "src: a tensor of any dtype on any device that broadcasts to this one, or a number.\nnon_blocking: return while the copy is under way.\n", "the tensor itself.",
   "ShapeError: src does not broadcast to the tensor.\nTransferError: the copy failed.\nAutogradError: the tensor is a leaf that requires a gradient.\n"},
  {"uniform_", "from_: lower end of the range, included.\nto: upper end, not included.\n", "the tensor itself, which must be floating.", "DTypeError: the tensor is not floating.\nValueError: from_ is above to.\nAutogradError: the tensor is a leaf that requires a gradient.\n"},
  {"normal_", "mean: mean of the distribution.\nstd: its standard deviation.\n", "the tensor itself, which must be floating.", "DTypeError: the tensor is not floating.\nValueError: std is negative.\nAutogradError: the tensor is a leaf that requires a gradient.\n"},
  {"masked_fill masked_fill_", "mask: a bool tensor that broadcasts to the tensor.\nvalue: a number, or a tensor of one element.\n", GK_INTO_OWN, GK_FITS "ShapeError: mask does not broadcast to the tensor.\nDTypeError: mask is not bool.\n" GK_DEVICES GK_LEAF},
  {"index_add index_add_", "index: integers, 1-d; negative ones count from the end.\nsource: shaped as the tensor, but along dim as long as index.\n", GK_INTO_OWN, "ShapeError: source has another shape.\n" GK_INDEX GK_LEAF},
  {"scatter scatter_ scatter_add scatter_add_", "index: integers, of as many dimensions as the tensor; negative ones count from the end.\nsrc: a tensor at least as long as index along each dimension.\n",
   GK_INTO_OWN, "RangeError: src is a number that does not fit into the dtype.\nShapeError: index or src does not fit.\n" GK_INDEX GK_LEAF},
  // Reductions.
  {"sum prod", "dim: a dimension, a tuple of them, or None for all.\n",
   "without the dimensions of dim; input's dtype, but int64 for bool and other integers than uint64.", GK_DIM GK_TWICE},
  {"mean", "input: a floating tensor of any shape.\ndim: a dimension, a tuple of them, or None for all.\n", "without the dimensions of dim; input's dtype. NaN of no elements.",
   GK_DIM GK_TWICE "DTypeError: input, or dtype if given, is not floating.\n"},
  {"amax amin", "dim: a dimension, a tuple of them, or None for all.\n", "without the dimensions of dim; input's dtype.", GK_DIM GK_TWICE "DimensionError: there are no elements to choose from.\n"},
  {"max min", "dim: a dimension or None for all; in this place also another tensor, as other.\nother: a tensor that broadcasts with input, instead of dim.\n",
   "0-d without dim; with dim (values, indices), input's dtype and int64; with a tensor the broadcast shape.", GK_DIM "DimensionError: there are no elements to choose from.\nShapeError: other does not broadcast.\nTypeError: dim and other are both given.\nDTypeError: the dtypes have none in common.\n"},
  {"argmax argmin", "dim: a dimension, or None for the place in the flattened tensor.\n", "without dimension dim; int64.", GK_DIM "DimensionError: there are no elements to choose from.\n"},
  {"all any", "dim: a dimension, a tuple of them, or None for all.\n", "without the dimensions of dim; bool.", GK_DIM GK_TWICE},
  {"count_nonzero", "dim: a dimension, a tuple of them, or None for all.\n", "without the dimensions of dim; int64.", GK_DIM GK_TWICE},
  {"var std", "input: a floating tensor of any shape.\ndim: a dimension, a tuple of them, or None for all.\ncorrection: taken from the count, a number; None is 1.\nunbiased: torch's older form: True is correction 1, False is 0.\n",
   "without the dimensions of dim; input's dtype. Where count - correction is not above 0, inf, or NaN if all elements are equal.", GK_DIM "DTypeError: input is not floating.\nTypeError: correction and unbiased are both given.\n"},
  {"norm", "input: a floating tensor of any shape.\np: the order: a number, 'fro' (2) or 'inf'; 0 counts what is not 0.\ndim: a dimension, a tuple of them, or None for all.\n",
   "without the dimensions of dim; input's dtype.", GK_DIM "DTypeError: input, or dtype if given, is not floating.\nValueError: p is another text.\n"},
  {"logsumexp", "dim: a dimension or a tuple of them.\n", "without the dimensions of dim; input's dtype if floating, else the default.", GK_DIM},
  {"cumsum cumprod", "", "input's shape; its dtype, but int64 for bool and other integers than uint64.", GK_DIM},
  {"softmax log_softmax", "dtype: a floating dtype to compute in and to answer in.\n", "input's shape; dtype, or input's if floating, else the default.", GK_DIM "DTypeError: dtype is not floating.\n"},
  {"sort argsort", "descending: the largest first.\nstable: taken for torch's sake; equal elements always keep their order.\n",
   "sort (values, indices), argsort the indices: input's shape; input's dtype and int64.", GK_DIM},
  {"topk", "k: how many.\nlargest: False takes the smallest.\nsorted: whether they must be in order; here they always are.\n",
   "(values, indices) with k elements along dim; input's dtype and int64.", GK_DIM "ValueError: k is negative or above the size of dim.\n"},
  {"unique", "sorted: taken for torch's sake; the values are always in order.\nreturn_inverse: also where each element of input is among the values.\nreturn_counts: also how often each occurs.\n",
   "1-d values of input's dtype; inverse (input's shape) and counts are int64.", ""},
  // Shapes.
  {"reshape view", "shape: ints, or one tuple; one of them may be -1.\n", "input's elements and dtype in the new shape.", "ShapeError: the number of elements differs, or a view would need a copy.\n"},
  {"view_as reshape_as expand_as", "other: the tensor whose shape is taken.\n", "input's elements and dtype in the shape of other.", "ShapeError: input does not fit that shape.\n"},
  {"flatten", "start_dim: the first dimension to join.\nend_dim: the last one, included.\n", "a view where the strides allow it, else a copy; input's dtype.", "IndexError: there is no such dimension.\nValueError: start_dim comes after end_dim.\n"},
  {"ravel", "", "1-d; a view if input is contiguous, else a copy.", ""},
  {"squeeze", "dim: a dimension, a tuple of them, or None for all; those of another size stay.\n", "a view.", GK_DIM GK_TWICE},
  {"unsqueeze", "dim: where the new dimension comes to stand, -ndim - 1 to ndim.\n", "a view.", "IndexError: dim is out of that range.\n"},
  {"permute", "dims: all dimensions in their new order, ints or one tuple.\n", "a view.", GK_ORDER},
  {"permute_dims", "dims: a tuple of all dimensions in their new order.\n", "a view.", GK_ORDER},
  {"transpose swapaxes", "dim0: the one dimension.\ndim1: the other.\n", "a view.", "IndexError: there is no such dimension.\n"},
  {"t", "input: at most two dimensions.\n", "a view.", "ShapeError: input has more than two dimensions.\n"},
  {"expand broadcast_to", "size: the new shape; -1 keeps a size, new dimensions come first.\n", "a view in which repeated elements share memory.", "ShapeError: a size other than 1 would change.\n"},
  {"flip", "dims: the dimensions to reverse, ints or one tuple.\n", "a copy of input's shape and dtype.", "IndexError: there is no such dimension.\nValueError: one is listed twice.\n"},
  {"diagonal", "input: two dimensions or more; the first two make the matrix.\noffset: 0 is the main diagonal, above it positive.\n", "a view; the diagonal is the last dimension.", "DimensionError: input has less than two dimensions.\n"},
  {"narrow", "start: the first place; negative counts from the end.\nlength: how many.\n", "a view.", "IndexError: dim, start or length is out of range.\n"},
  {"select", "index: the place; negative counts from the end.\n", "a view with one dimension less.", "IndexError: dim or index is out of range.\n"},
  {"tril triu", "input: two dimensions or more; the last two make the matrices.\ndiagonal: the last diagonal that stays; 0 is the main one, above it positive.\n", "a copy of input's shape and dtype.", "ShapeError: input has less than two dimensions.\n"},
  {"cat concat concatenate", "tensors: a list or tuple of tensors whose sizes agree but for dim.\n", "the dtype that all have in common.",
   GK_DIM "ValueError: tensors is empty.\nShapeError: sizes differ.\nDTypeError: the dtypes have none in common.\n" GK_DEVICES},
  {"hstack vstack", "tensors: a list or tuple of tensors whose sizes agree but for that dimension.\n", "the dtype that all have in common.", "ValueError: tensors is empty.\nShapeError: sizes differ.\n" GK_DEVICES},
  {"stack", "tensors: a list or tuple of tensors of one shape.\ndim: where the new dimension comes to stand.\n", "the dtype that all have in common.", GK_DIM "ValueError: tensors is empty.\nShapeError: shapes differ.\n" GK_DEVICES},
  {"split", "split_size_or_sections: an int, the size of all parts but perhaps the last; or a list of sizes.\n", "a tuple of views.", GK_DIM "ValueError: the size is not positive.\nShapeError: the sizes do not add up.\n"},
  {"chunk", "chunks: how many at most; of an empty dimension, how many.\n", "a tuple of views.", GK_DIM "ValueError: chunks is not positive.\n"},
  {"unbind unstack", "", "a tuple of views with one dimension less.", GK_DIM},
  {"repeat", "repeats: a count for each dimension; further ones come in front.\n", "a copy.", "ShapeError: a dimension has no count.\nValueError: a count is negative.\n"},
  {"tile", "dims: counts, ints or one tuple.\n", "a copy.", "ValueError: a count is negative.\n"},
  {"repeat_interleave", "repeats: an int, or a 1-d integer tensor with one count a place, or one for all.\ndim: the dimension; None flattens first.\n", "a copy; input's dtype.", GK_DIM "TypeError: repeats is not of integers.\nValueError: a count is negative.\nShapeError: repeats has another length than dim.\n"},
  {"roll", "shifts: an int, or one for each of dims.\ndims: a dimension, a tuple of them, or None.\n", "a copy of input's shape and dtype.", "IndexError: there is no such dimension.\nShapeError: shifts and dims differ in number.\nValueError: several shifts without dims.\n"},
  {"moveaxis movedim", "source: a dimension or a tuple of them.\ndestination: their new places, as many.\n", "a view.", "IndexError: there is no such dimension.\nValueError: one occurs twice, or their numbers differ.\n"},
  {"diag", "input: a vector or a matrix.\ndiagonal: 0 is the main diagonal, above it positive.\n", "a copy; input's dtype.", "ShapeError: input is neither a vector nor a matrix.\n"},
  {"meshgrid", "tensors: 1-d tensors, or one list of them.\nindexing: 'ij' or 'xy'.\n", "a tuple of as many views, all of one shape.", "ShapeError: a tensor is not 1-d.\nValueError: indexing is another one.\n"},
  {"broadcast_tensors", "tensors: tensors of any dtypes.\n", "a tuple of views of one shape.", "ShapeError: the shapes do not broadcast.\n"},
  {"broadcast_shapes", "shapes: tuples of ints.\n", "a tuple of ints.", "ShapeError: the shapes do not broadcast.\nValueError: a size is negative.\n"},
  {"diff", "n: how often.\nprepend: a tensor put before input along dim first.\nappend: a tensor put behind it.\n", "n elements less along dim, none below 0; the dtype that input, prepend and append have in common.", GK_DIM "ValueError: n is negative.\nShapeError: input is 0-d, or another tensor does not fit.\n"},
  // Elements by their places.
  {"index_select", "index: integers, at most 1-d.\n", "input's dtype; along dim as long as index.", "DimensionError: index has more dimensions.\n" GK_INDEX},
  {"take", "index: integers of any shape; negative ones count from the end.\n", "index's shape, input's dtype.", GK_INDEX},
  {"gather", "index: integers, of as many dimensions as input and not longer along the others.\n", "index's shape, input's dtype.", "ShapeError: index does not fit.\n" GK_INDEX},
  {"take_along_dim", "indices: integers, of as many dimensions as input.\ndim: the dimension; None flattens both.\n", "the broadcast shape of the other dimensions; input's dtype.", "ShapeError: indices do not fit.\nDTypeError: indices are not of an integer dtype.\nIndexError: an index or dim is out of range; of a GPU's index at the next wait.\n" GK_INDEX_DEVICE},
  {"masked_select", "mask: a bool tensor that broadcasts with input.\n", "1-d; input's dtype.", "ShapeError: the shapes do not broadcast.\n" GK_INDEX_DEVICE "DTypeError: mask is not bool.\n"},
  {"nonzero", "as_tuple: give a tuple of index tensors, one a dimension.\n", "(count, ndim), int64; rows in the order of the elements.", ""},
  {"bincount", "input: integers, 0 or more, 1-d.\nweights: as many numbers, or None.\nminlength: the least length of the result.\n", "1-d; int64, or floating with weights.", "ShapeError: input is not 1-d, or weights have another length.\nDTypeError: input is not of integers.\nValueError: a number or minlength is negative.\n"},
  {"argwhere", "", "(count, ndim), int64; rows in the order of the elements.", ""},
  {"nan_to_num", "nan: for NaN.\nposinf: for infinity.\nneginf: for minus infinity.\n", "input's shape and dtype.", ""},
  {"median", "dim: the dimension; None is all of them, as one.\n", "0-d of input's dtype; with dim a pair of values and int64 indices.", GK_DIM "ShapeError: there is no element along dim, or none of integers.\n"},
  {"searchsorted", "sorted_sequence: ascending along its last dimension; 1-d, or of the leading sizes of input.\ninput: a tensor of any shape, or a number.\nright: behind equal elements instead of before them.\nside: 'left' or 'right', the same as right in words.\n",
   "input's shape; int64.", "ShapeError: the leading sizes differ.\nValueError: side is another one.\n" GK_DEVICES},
  {"isin", "elements: a tensor of any shape, or a number.\ntest_elements: a tensor of any shape, or a number.\ninvert: True where it is not among them.\n", "the shape of elements; bool.", GK_DEVICES "DTypeError: uint64 beside signed integers.\n"},
  // Products.
  {"matmul", "input: one dimension or more; any dtype but bool.\nother: one dimension or more; input's dtype.\n", "(..., n, p) of (..., n, m) and (..., m, p), leading sizes broadcast; vectors lose their dimension. input's dtype.",
   "ShapeError: inner sizes differ, or one is 0-d.\nDTypeError: dtypes differ, or are bool.\n" GK_DEVICES},
  {"mm", "input: (n, m).\nmat2: (m, p), of input's dtype.\n", "(n, p), input's dtype.", "ShapeError: not two matrices, or inner sizes differ.\nDTypeError: dtypes differ, or are bool.\n" GK_DEVICES},
  {"bmm", "input: (b, n, m).\nmat2: (b, m, p), of input's dtype.\n", "(b, n, p), input's dtype.", "ShapeError: sizes do not fit.\nDTypeError: dtypes differ, or are bool.\n" GK_DEVICES},
  {"mv", "input: (n, m).\nvec: (m,), of input's dtype.\n", "(n,), input's dtype.", "ShapeError: sizes do not fit.\nDTypeError: dtypes differ, or are bool.\n" GK_DEVICES},
  {"dot", "input: (n,).\nother: (n,), of input's dtype.\n", "0-d, input's dtype.", "ShapeError: sizes do not fit.\nDTypeError: dtypes differ, or are bool.\n" GK_DEVICES},
  {"outer", "input: (n,).\nvec2: (m,).\n", "(n, m); the dtype that both have in common.", "ShapeError: one is not 1-d.\nDTypeError: the dtypes have none in common.\n" GK_DEVICES},
  {"addmm", "input: broadcasts to (n, p).\nmat1: (n, m), of input's dtype.\nmat2: (m, p), of input's dtype.\nbeta: a number; whole for integers.\nalpha: a number; whole for integers.\n", "(n, p), input's dtype.",
   "ShapeError: sizes do not fit.\nDTypeError: dtypes differ, or a factor is not whole.\n" GK_DEVICES},
  {"vecdot", "other: broadcasts with input; input's dtype. dim is of the broadcast shape.\n", "the broadcast shape without dim; input's dtype.", GK_DIM "ShapeError: the shapes do not broadcast.\nDTypeError: dtypes differ, or are bool.\n" GK_DEVICES},
  {"trace", "input: (n, m).\n", "0-d; input's dtype, but int64 for bool and other integers than uint64.", "ShapeError: input is not a matrix.\n"},
  {"tensordot", "other: a tensor of input's dtype.\ndims: how many, or two lists of dimensions.\n", "the dimensions of input that are left, then those of other; input's dtype.", "ShapeError: sizes differ, or the lists in length.\nIndexError: a list names no dimension.\nValueError: so many dimensions are not there.\nDTypeError: dtypes differ, or are bool.\n" GK_DEVICES},
  {"einsum", "equation: text such as 'ij,jk->ik'.\noperands: a tensor for each part, or one list of them.\n", "the shape that the letters behind '->' say; the operands' dtype.",
   "ValueError: the equation is wrong, or names another number of operands.\nShapeError: a letter has two sizes, or an operand another number of dimensions.\nDTypeError: dtypes differ, or are bool.\n" GK_DEVICES},
  {"linear", "input: (..., in).\nweight: (out, in), of input's dtype.\nbias: (out,), or None.\n", "(..., out), input's dtype.", "ShapeError: sizes do not fit.\nDTypeError: dtypes differ, or are bool.\n" GK_DEVICES},
  {"set_float32_matmul_precision", "precision: one of the three.\n", "None.", "ValueError: precision is another one.\n"},
  {"get_float32_matmul_precision", "", "one of the three texts.", "-"},
  // Creation.
  {"tensor", "data: a number, nested lists, an array or a tensor.\ndevice: where the result lies; None is where the data lie, lists on the default device.\n", "the shape of data; its dtype as said above.", "ValueError: lists of one level differ in length.\nRangeError: a number does not fit into the dtype.\nTypeError: data holds something else, or numbers beside lists.\n" GK_CREATE},
  {"as_tensor asarray", "data: as for tensor(), or anything with __dlpack__ or a buffer.\nobj: as for tensor(), or anything with __dlpack__ or a buffer.\ndevice: where the result lies; None is where the data lie, lists on the default device.\ncopy: None copies where it must, True always, False never.\n",
   "the shape of the data; their dtype, lists as in tensor().", "ValueError: lists of one level differ in length, or copy=False would need a copy.\nTypeError: the data are something else, or hold numbers beside lists.\n" GK_CREATE},
  {"from_numpy", "ndarray: a NumPy array of a dtype that gpukit has.\n", "a CPU tensor of the array's shape, strides and dtype; read-only if the array is.", "TypeError: it is no NumPy array.\nDTypeError: gpukit does not have its dtype.\n"},
  {"frombuffer", "buffer: any object with the buffer protocol.\ndtype: dtype of the elements.\ncount: how many; -1 is all.\noffset: bytes to leave out at the start.\n", "1-d, on the CPU, over the same memory; read-only if the buffer is.",
   "ValueError: the bytes are no whole elements, or too few.\nTypeError: it is no buffer.\n"},
  {"from_dlpack", "x: an array with __dlpack__ and __dlpack_device__, or a capsule.\ndevice: where the result shall be; None is where the array is.\ncopy: True always copies, False raises instead of copying.\n", "the array's shape, strides and dtype; read-only if the array is.",
   "BufferError: the other side cannot hand it over, or copy=False would need a copy.\nTypeError: x is neither.\nDeviceNotFoundError: device is not there.\n"},
  {"empty zeros ones", "size: ints, or one tuple of them.\n", "a tensor of that size; dtype, or the default floating dtype.", "ValueError: a size is negative.\n" GK_CREATE},
  {"full", "size: an int or a tuple of ints.\nfill_value: a number, or a tensor of one element.\n", "a tensor of that size; dtype, or that of the value's kind: bool, int64, or the default floating dtype.", "ValueError: a size is negative.\nShapeError: fill_value is a tensor of several elements.\n" GK_FITS GK_CREATE},
  {"empty_like zeros_like ones_like", "device: where the result lies; None is input's.\n", "input's shape; dtype, or input's.", GK_CREATE},
  {"full_like", "fill_value: a number, or a tensor of one element.\ndevice: where the result lies; None is input's.\n", "input's shape; dtype, or input's.", GK_FITS GK_CREATE},
  {"new_empty new_zeros new_ones", "size: ints, or one tuple of them.\ndevice: where the result lies; None is the tensor's.\n", "a tensor of that size; dtype, or the tensor's.", "ValueError: a size is negative.\n" GK_CREATE},
  {"new_full", "size: an int or a tuple of ints.\nfill_value: a number.\ndevice: where the result lies; None is the tensor's.\n", "a tensor of that size; dtype, or the tensor's.", "ValueError: a size is negative.\n" GK_FITS GK_CREATE},
  {"new_tensor", "data: as for tensor().\ndevice: where the result lies; None is the tensor's.\n", "the shape of data; dtype, or the tensor's.", "ValueError: lists of one level differ in length.\nTypeError: numbers stand beside lists.\n" GK_CREATE},
  {"arange", "start: the first number; None is 0.\nend: where to stop, not included.\nstep: the distance, not 0.\n", "1-d; dtype, or int64 if all are ints or bools, else the default floating dtype.", "ValueError: step is 0 or leads away from end.\nDTypeError: dtype is unknown or bool, or not a floating one with requires_grad.\n" GK_PLACE},
  {"linspace", "start: the first number.\nend: the last.\nsteps: how many.\n", "(steps,); dtype, or the default floating dtype.", "ValueError: steps is negative.\n" GK_FITS GK_CREATE},
  {"eye", "n: rows.\nm: columns; None is n.\n", "(n, m); dtype, or the default floating dtype.", "ValueError: a size is negative.\n" GK_CREATE},
  {"rand randn", "size: ints, or one tuple of them.\n", "a tensor of that size; dtype, or the default floating dtype.", "ValueError: a size is negative.\nDTypeError: dtype is unknown or not floating.\n" GK_PLACE},
  {"rand_like randn_like", "device: where the result lies; None is input's.\n", "input's shape; dtype, or input's, which must be floating.", "DTypeError: dtype, or input's, is not floating.\n" GK_PLACE},
  {"randint", "low: the smallest number; randint(high, size) starts at 0.\nhigh: the first number that is not drawn.\nsize: a tuple of ints.\n", "a tensor of that size; dtype, or int64.", "ValueError: low is not below high, or dtype cannot hold the range.\nTypeError: size is missing.\n" GK_CREATE},
  {"normal", "mean: a number, or a tensor with one mean an element.\nstd: the standard deviation, likewise.\nsize: ints, of numbers; None takes the broadcast shape of mean and std.\n", "a tensor of that size; dtype, or that of mean or std, or the default floating dtype.", "TypeError: neither size nor a tensor is given, or both.\nValueError: std is negative or NaN (on a GPU only a number is looked at).\n" GK_CREATE},
  {"bernoulli", "input: probabilities, floating.\n", "input's shape and dtype.", "DTypeError: input is not floating.\nValueError: on the CPU, one lies outside 0 to 1.\n"},
  {"multinomial", "input: weights, 0 or more, 1-d or 2-d; they need not sum to 1.\nnum_samples: how many places are drawn.\nreplacement: draw a place again and again.\n", "(num_samples,) or (rows, num_samples), int64.", "ShapeError: input is neither a vector nor a matrix.\nDTypeError: input is not floating.\nValueError: a weight is negative, infinite or NaN; num_samples is not positive, or more than there are weights over 0.\n"},
  {"randperm", "n: how many.\n", "(n,); dtype, or int64.", "ValueError: n is negative.\n" GK_CREATE},
  // Conversion, memory, gradients.
  {"to", "device: a device, its name, or a dtype or tensor in its place.\ndtype: a dtype or its name; None keeps it.\nnon_blocking: return while the copy is under way.\ncopy: a copy also where nothing changes.\nstream: a stream to copy on; None is gpukit's own for copies.\nother: the tensor whose device and dtype are taken.\n",
   "a tensor of the same shape.", "InvalidDeviceError: device is no device.\nDeviceNotFoundError: it is not there.\nDTypeError: dtype is unknown.\nTransferError: the copy failed.\n"},
  {"to_device", "device: a device or its name.\nstream: a stream to copy on; None is gpukit's own for copies.\n", "a tensor of the same shape and dtype.", "InvalidDeviceError: device is no device.\nDeviceNotFoundError: it is not there.\n"},
  {"cpu", "non_blocking: return while the copy is under way.\n", "a tensor of the same shape and dtype.", "TransferError: the copy failed.\n"},
  {"cuda", "device: a device, its name or its index; None is the current one.\nnon_blocking: return while the copy is under way.\n", "a tensor of the same shape and dtype.", "InvalidDeviceError: device is no GPU.\nDeviceNotFoundError: there is no such GPU.\nOutOfMemoryError: it does not fit.\n"},
  {"float double half bfloat16 int long bool", "", "the same shape; itself when it has that dtype.", "-"},
  {"type", "dtype: a dtype or its name.\n", "the same shape, of that dtype.", "DTypeError: dtype is unknown.\nTypeError: dtype is missing.\n"},
  {"type_as", "other: a tensor.\n", "the same shape; itself when nothing changes.", "TransferError: the copy failed.\n"},
  {"tolist", "", "lists as deep as the tensor has dimensions, of bool, int or float.", "TransferError: a copy failed.\n"},
  {"item", "", "a bool, an int or a float.", "ShapeError: there is not exactly one element.\n"},
  {"numpy", "force: also copy from a GPU, and wait for that; and take a tensor that requires a gradient.\n", "an array of the same shape and dtype; bfloat16 needs the package ml_dtypes.", "DeviceError: the tensor is on a GPU, without force.\nAutogradError: it requires a gradient, without force.\n"},
  {"clone contiguous", "", "a tensor of the same shape and dtype, row by row without gaps.", "-"},
  {"pin_memory", "", "a CPU tensor of the same shape and dtype.", "DeviceNotFoundError: there is no CUDA device.\n"},
  {"is_pinned is_contiguous ready is_floating_point", "", "a Python bool.", "-"},
  {"wait block_until_ready", "timeout: seconds; None is for ever.\n", "the tensor itself.", "TimeoutError: it was not ready in time.\nTransferError: a copy failed.\nValueError: timeout is negative.\n"},
  {"backward", "gradient: of the tensor's shape, dtype and device; needed unless it has one element.\nretain_graph: keep the graph for a second call; None is create_graph.\ncreate_graph: record the pass, so that gradients have gradients; with a warning, since .grad then holds its own tensor.\n", "None.",
   "AutogradError: the tensor has no graph, its graph was used before, or a tensor saved in it was changed in place.\nShapeError: gradient has another shape.\nDTypeError: gradient has another dtype.\nDeviceMismatchError: gradient is on another device.\n"},
  {"retain_grad", "", "None.", "AutogradError: the tensor does not require a gradient.\n"},
  {"register_hook", "hook: a function of the gradient, a tensor of this one's shape.\n", "a handle with remove().", "AutogradError: the tensor does not require a gradient.\nTypeError: hook is no function.\n"},
  {"requires_grad_", "requires_grad: True or False.\n", "the tensor itself.", "DTypeError: the tensor is not floating.\nAutogradError: it is a result, not a leaf, and shall stop.\n"},
  {"detach", "", "a view without a graph.", "-"},
  {"as_subclass", "cls: a subclass of gpukit.Tensor.\n", "an object of cls over the same memory.", "TypeError: cls is none.\n"},
  {"tobytes", "", "bytes, numel() * element_size() of them.", "DeviceError: the tensor is on a GPU.\n"},
  {"size stride", "dim: a dimension, or None for all.\n", "a tuple of ints, or one int.", GK_DIM},
  {"dim ndimension numel nelement element_size storage_offset data_ptr get_device", "", "an int.", "-"},
};

// The others, by their domain.
constexpr Facts unary_facts(Domain domain) {
  switch (domain) {
    case Domain::kFunction:
      return {"", "", "input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.", ""};
    case Domain::kArithmetic:
      return {"", "", "input's shape and dtype.", "DTypeError: input is bool.\n"};
    case Domain::kBoolAsInteger:
      return {"", "", "input's shape and dtype; of bool, int64.", ""};
    case Domain::kBitwise:
      return {"", "input: a tensor of any shape; integers or bool.\n", "input's shape and dtype.", "DTypeError: input is floating.\n"};
    case Domain::kShift:
      return {"", "input: a tensor of any shape; integers.\n", "input's shape and dtype.", "DTypeError: input is floating or bool.\n"};
    case Domain::kRounding:
    case Domain::kMagnitude:
    case Domain::kAny:
      return {"", "", "input's shape and dtype.", ""};
    case Domain::kComparison:
    case Domain::kTest:
      return {"", "", "input's shape; bool.", ""};
  }
  return {};
}

constexpr Facts binary_facts(Domain domain) {
  switch (domain) {
    case Domain::kFunction:
    case Domain::kRounding:
      return {"", "", "the broadcast shape; the dtype in common if it is floating, else the default floating dtype.", GK_BROADCAST "DTypeError: uint64 beside signed integers.\n"};
    case Domain::kArithmetic:
    case Domain::kMagnitude:
    case Domain::kBoolAsInteger:
      return {"", "", "the broadcast shape; the dtype that both have in common.", GK_BROADCAST "DTypeError: both are bool, or the dtypes have none in common.\n"};
    case Domain::kBitwise:
      return {"", "", "the broadcast shape; the integer dtype in common, or bool.", GK_BROADCAST "DTypeError: one is floating, or the dtypes have none in common.\n"};
    case Domain::kShift:
      return {"", "", "the broadcast shape; the integer dtype in common.", GK_BROADCAST "DTypeError: one is floating, or both are bool.\n"};
    case Domain::kAny:
      return {"", "", "the broadcast shape; the dtype that both have in common.", GK_BROADCAST "DTypeError: the dtypes have none in common.\n"};
    case Domain::kComparison:
    case Domain::kTest:
      return {"", "", "the broadcast shape; bool.", GK_BROADCAST "DTypeError: uint64 beside signed integers.\n"};
  }
  return {};
}

constexpr Facts kUnaryInPlaceFacts = {"", "", "the tensor itself.", GK_IN_PLACE};
constexpr Facts kBinaryInPlaceFacts = {"", "other: a tensor that broadcasts to this one, or a number.\n", "the tensor itself.", GK_IN_PLACE_OTHER};
// clang-format on

#undef GK_DEVICES
#undef GK_TWICE
#undef GK_BROADCAST
#undef GK_DIM
#undef GK_PLACE
#undef GK_CREATE
#undef GK_ORDER
#undef GK_IN_PLACE
#undef GK_IN_PLACE_OTHER
#undef GK_INDEX
#undef GK_INDEX_DEVICE
#undef GK_LEAF
#undef GK_INTO_OWN

using FactsOfName = std::unordered_map<std::string_view, const Facts*>;

/// Each word of `names` as a key.
void add_names(FactsOfName& all, const Facts& facts) {
  for (std::string_view rest = facts.names; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    all.emplace(rest.substr(0, end), &facts);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

const FactsOfName& facts_by_name() {
  static const FactsOfName all = [] {
    FactsOfName made;
    for (const Facts& facts : kFacts) add_names(made, facts);
    return made;
  }();
  return all;
}

/// The line of `text` that begins with "name: ", or nothing.
std::string_view line_of(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(name) && line.substr(name.size()).starts_with(": ")) return line;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

std::string arguments_part(const Facts& facts, std::span<const std::string_view> parameters) {
  std::string part;
  for (const std::string_view name : parameters) {
    std::string_view line = line_of(facts.parameters, name);
    if (line.empty()) line = line_of(kShared, name);
    if (!line.empty()) part.append("\n    ").append(line);
  }
  return part.empty() ? part : "\n\nArgs:" + part;
}

// What out= adds to the errors of each function that has it (see store_in_out).
constexpr std::string_view kOutRaises =
    "ShapeError: out has another shape than the result.\n"
    "DTypeError: out cannot hold the result's dtype.\n"
    "DeviceMismatchError: out is on another device.\n"
    "AutogradError: out is given where gradients are recorded.\n";

void append_lines(std::string& part, std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    part.append("\n    ").append(line);
    lines.remove_prefix(line.size() + 1);
  }
}

std::string raises_part(std::string_view raises, bool takes_out) {
  if (raises == "-") return {};
  if (raises.empty()) raises = "TypeError: an argument is of another kind.\n";
  std::string part = "\n\nRaises:";
  append_lines(part, raises);
  if (takes_out) append_lines(part, kOutRaises);
  return part;
}

std::optional<Facts> facts_of(std::string_view name) {
  if (const auto found = facts_by_name().find(name); found != facts_by_name().end())
    return *found->second;
  const ops::ElementwiseName* form = ops::find_elementwise(name);
  if (form == nullptr) return std::nullopt;
  if (form->in_place) return form->operands == 1 ? kUnaryInPlaceFacts : kBinaryInPlaceFacts;
  const Domain domain = form->row->domain;
  return form->operands == 1 ? unary_facts(domain) : binary_facts(domain);
}

}  // namespace

std::string with_facts(std::string_view name, std::string_view doc,
                       std::span<const std::string_view> parameters, bool method) {
  std::string result(doc);
  const std::optional<Facts> known = facts_of(name);
  if (!known) return result;
  const bool takes_out = std::ranges::find(parameters, "out") != parameters.end();
  const std::size_t example = std::min(result.find("\n\nExample:"), result.size());
  const std::string facts = arguments_part(*known, parameters.subspan(method ? 1 : 0)) +
                            "\n\nReturns:\n    " + std::string(known->returns) +
                            raises_part(known->raises, takes_out);
  return result.insert(example, facts);
}

}  // namespace gpukit::bindings
