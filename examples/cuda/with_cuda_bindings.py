"""The driver API by cuda.bindings: PTX by hand, a module, a launch on a stream.

gpukit sim 2xT4 -- python examples/cuda/with_cuda_bindings.py
"""

import ctypes

import numpy as np
from cuda.bindings import driver

PTX = b"""
.version 8.0
.target sm_75
.address_size 64
.visible .entry squares(.param .u64 out, .param .u32 n)
{
  .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %l<3>;
  ld.param.u64 %l0, [out]; ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  setp.ge.u32 %p, %r1, %r0; @%p ret;
  mul.lo.u32 %r2, %r1, %r1; mul.wide.u32 %l1, %r1, 4; add.u64 %l0, %l0, %l1;
  st.global.u32 [%l0], %r2;
  ret;
}
\0"""
COUNT = 1000


def call(function, *arguments):
    """The results of a driver call; an error where it has failed."""
    status, *results = function(*arguments)
    if status != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"{function.__name__} gave {status!r}")
    return results[0] if len(results) == 1 else results


def main():
    call(driver.cuInit, 0)
    for ordinal in range(call(driver.cuDeviceGetCount)):
        device = call(driver.cuDeviceGet, ordinal)
        name = call(driver.cuDeviceGetName, 100, device).split(b"\0")[0].decode()
        context = call(driver.cuDevicePrimaryCtxRetain, device)
        call(driver.cuCtxSetCurrent, context)
        stream = call(driver.cuStreamCreate, 0)
        module = call(driver.cuModuleLoadData, PTX)
        kernel = call(driver.cuModuleGetFunction, module, b"squares")
        memory = call(driver.cuMemAlloc, 4 * COUNT)
        parameters = ((int(memory), COUNT), (ctypes.c_void_p, ctypes.c_uint32))
        call(driver.cuLaunchKernel, kernel, 8, 1, 1, 128, 1, 1, 0, stream, parameters, 0)
        result = np.zeros(COUNT, np.uint32)
        call(driver.cuMemcpyDtoHAsync, result.ctypes.data, memory, result.nbytes, stream)
        call(driver.cuStreamSynchronize, stream)
        np.testing.assert_array_equal(result, np.arange(COUNT) ** 2)
        call(driver.cuMemFree, memory)
        call(driver.cuModuleUnload, module)
        call(driver.cuDevicePrimaryCtxRelease, device)
        print(f"{name}: squares is right, the last one is {result[-1]}")


main()
