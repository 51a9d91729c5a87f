// Thread-local variables that every operation reads.
#pragma once

// Before such a variable: it is reached by an offset, without a call each time. The loader keeps
// little room for modules opened later that do so; it is for a few small variables, and never for
// those of another library, which may have been opened without it.
#if defined(__linux__)
#define GPUKIT_FAST_THREAD_LOCAL __attribute__((tls_model("initial-exec"))) thread_local
#else
#define GPUKIT_FAST_THREAD_LOCAL thread_local
#endif
