// void gk_sim_switch_fiber(void** saved_stack /*rdi*/, void* next_stack /*rsi*/)
// Saves what the System V ABI asks a callee to keep, changes stacks and leaves by jmp: leaving by ret would miss the
// return predictor on every switch.
#if defined(__x86_64__)
    .text
    .globl gk_sim_switch_fiber
    .hidden gk_sim_switch_fiber
    .type gk_sim_switch_fiber, @function
    .p2align 4
gk_sim_switch_fiber:
    .cfi_startproc
    endbr64
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $8, %rsp
    stmxcsr (%rsp)
    fnstcw 4(%rsp)
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    ldmxcsr (%rsp)
    fldcw 4(%rsp)
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    popq %rdx
    jmpq *%rdx
    .cfi_endproc
    .size gk_sim_switch_fiber, . - gk_sim_switch_fiber
#endif
    .section .note.GNU-stack, "", %progbits
