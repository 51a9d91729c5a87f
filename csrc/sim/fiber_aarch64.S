// void gk_sim_switch_fiber(void** saved_stack /*x0*/, void* next_stack /*x1*/)
// Saves x19-x30 and d8-d15 (AAPCS64), changes stacks and leaves by br.
#if defined(__aarch64__)
    .text
    .globl gk_sim_switch_fiber
    .hidden gk_sim_switch_fiber
    .type gk_sim_switch_fiber, %function
    .p2align 4
gk_sim_switch_fiber:
    .cfi_startproc
    sub sp, sp, #176
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mrs x9, fpcr
    str x9, [sp, #160]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    ldr x9, [sp, #160]
    msr fpcr, x9
    add sp, sp, #176
    br x30
    .cfi_endproc
    .size gk_sim_switch_fiber, . - gk_sim_switch_fiber
#endif
    .section .note.GNU-stack, "", %progbits
