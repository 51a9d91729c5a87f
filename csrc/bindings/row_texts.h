// Texts that rows of several families share.
#pragma once

#include "bindings/function_row.h"

#define GPUKIT_RAISES_DEVICES "DeviceMismatchError: the tensors are on different devices.\n"
#define GPUKIT_RAISES_BROADCAST "ShapeError: the shapes do not broadcast.\n" GPUKIT_RAISES_DEVICES
#define GPUKIT_RAISES_DIM "IndexError: dim is not a dimension of the tensor.\n"
#define GPUKIT_RAISES_PLACE                       \
  "InvalidDeviceError: device is not a device.\n" \
  "DeviceNotFoundError: device does not exist.\n" \
  "MemoryError: it does not fit (on a GPU OutOfMemoryError).\n"
#define GPUKIT_RAISES_CREATE \
  "DTypeError: dtype is unknown, or not a floating one with requires_grad.\n" GPUKIT_RAISES_PLACE
#define GPUKIT_RAISES_TWICE "ValueError: a dimension is named twice.\n"
#define GPUKIT_RAISES_ORDER                                                               \
  "IndexError: there is no such dimension.\nShapeError: not all dimensions are listed.\n" \
  "ValueError: one is listed twice.\n"
#define GPUKIT_RAISES_FITS "RangeError: the number does not fit into the dtype.\n"
#define GPUKIT_RAISES_LEAF \
  "AutogradError: the tensor is a leaf that requires a gradient (of the forms in place).\n"
#define GPUKIT_RAISES_IN_PLACE                               \
  "DTypeError: the tensor's dtype cannot hold the result.\n" \
  "AutogradError: the tensor is a leaf that requires a gradient.\n"
#define GPUKIT_RAISES_IN_PLACE_OTHER                                            \
  "ShapeError: other does not broadcast to the tensor.\n" GPUKIT_RAISES_DEVICES \
      GPUKIT_RAISES_IN_PLACE
#define GPUKIT_RAISES_INDEX_DEVICE \
  "DeviceMismatchError: they are on different devices; an index may stay on the CPU.\n"
#define GPUKIT_RAISES_INDEX                                                    \
  "DTypeError: index is not of an integer dtype.\n"                            \
  "IndexError: an index or dim is out of range; of a GPU's index at the next " \
  "wait.\n" GPUKIT_RAISES_INDEX_DEVICE
#define GPUKIT_OWN_FORM "shape, dtype and device of the tensor."

namespace gpukit::bindings {

// clang-format off
inline constexpr Docs kWhereDocs = {.parameters = "condition: a bool tensor.\ninput: a tensor or a number.\nother: a tensor or a number.\n",
    .returns = "the broadcast shape of all three; the dtype that input and other have in common. A tuple of int64 tensors without them.",
    .raises = GPUKIT_RAISES_BROADCAST "RangeError: a number does not fit into the dtype.\nTypeError: one of input and other is missing.\nDTypeError: condition is not bool, or the dtypes have none in common.\n"};

inline constexpr Docs kMaskedFillDocs = {.parameters = "mask: a bool tensor that broadcasts to the tensor.\nvalue: a number, or a tensor of one element.\n",
    .returns = GPUKIT_OWN_FORM,
    .raises = GPUKIT_RAISES_FITS "ShapeError: mask does not broadcast to the tensor.\nDTypeError: mask is not bool.\n" GPUKIT_RAISES_DEVICES GPUKIT_RAISES_LEAF};

inline constexpr Docs kIndexAddDocs = {.parameters = "index: integers, 1-d; negative ones count from the end.\nsource: shaped as the tensor, but along dim as long as index.\nalpha: a number that source is multiplied by; whole for integers.\n",
    .returns = GPUKIT_OWN_FORM,
    .raises = "ShapeError: source has another shape.\n" GPUKIT_RAISES_INDEX GPUKIT_RAISES_LEAF};

inline constexpr Docs kScatterDocs = {.parameters = "index: integers, of as many dimensions as the tensor; negative ones count from the end.\nsrc: a tensor at least as long as index along each dimension.\n",
    .returns = GPUKIT_OWN_FORM,
    .raises = "RangeError: src is a number that does not fit into the dtype.\nShapeError: index or src does not fit.\n" GPUKIT_RAISES_INDEX GPUKIT_RAISES_LEAF};

inline constexpr Docs kUnbindDocs = {.returns = "a tuple of views with one dimension less.",
    .raises = GPUKIT_RAISES_DIM};

inline constexpr Docs kIsPinnedDocs = {.returns = "a Python bool.",
    .raises = "-"};
// clang-format on

}  // namespace gpukit::bindings
