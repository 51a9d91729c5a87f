// Functions of the system's C library under their own names, for builds by zig (GPUKIT_FORWARD_LIBC).
//
// zig gives each library its own memcpy, memcmp, exp, ... which are slower than glibc's (they use no
// instruction newer than the target's oldest processor) and may round otherwise. Its definitions are
// weak, those here are not: they jump to glibc's, in versions that every glibc since 2.27 has.

#if defined(__x86_64__)
#define OLDEST GLIBC_2.2.5
#define MEMCPY GLIBC_2.14
#define FORWARD(name, version)                       \
  .symver from_libc_##name, name@version, remove;    \
  .section .text.name, "ax", %progbits;              \
  .globl name;                                       \
  .hidden name;                                      \
  .type name, %function;                             \
  name: jmp *from_libc_##name@GOTPCREL(%rip)
#elif defined(__aarch64__)
#define OLDEST GLIBC_2.17
#define MEMCPY GLIBC_2.17
#define FORWARD(name, version)                       \
  .symver from_libc_##name, name@version, remove;    \
  .section .text.name, "ax", %progbits;              \
  .globl name;                                       \
  .hidden name;                                      \
  .type name, %function;                             \
  .p2align 2;                                        \
  name: adrp x16, :got:from_libc_##name;             \
  ldr x16, [x16, :got_lo12:from_libc_##name];        \
  br x16
#endif

FORWARD(memcpy, MEMCPY)
FORWARD(memmove, OLDEST)
FORWARD(memset, OLDEST)
FORWARD(memcmp, OLDEST)
FORWARD(strlen, OLDEST)
FORWARD(cos, OLDEST)
FORWARD(cosf, OLDEST)
FORWARD(exp, OLDEST)
FORWARD(expf, GLIBC_2.27)
FORWARD(exp2, OLDEST)
FORWARD(exp2f, GLIBC_2.27)
FORWARD(fmod, OLDEST)
FORWARD(fmodf, OLDEST)
FORWARD(log, OLDEST)
FORWARD(logf, GLIBC_2.27)
FORWARD(log2, OLDEST)
FORWARD(log2f, GLIBC_2.27)
FORWARD(log10, OLDEST)
FORWARD(log10f, OLDEST)
FORWARD(sin, OLDEST)
FORWARD(sinf, OLDEST)
FORWARD(sincos, OLDEST)

.section .note.GNU-stack, "", %progbits
