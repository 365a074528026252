/* Start of the processor, and its interrupt handler. PicoRV32 has instructions of its own for
   interrupts: custom-0, chosen by funct7. */
        .section .start, "ax"
        .globl  _start
_start: j       begin

        /* Masks everything until the program allows it again, and tells what it was. */
        .org    0x10
        .insn   r 0x0B, 0, 1, x2, t0, x0 /* setq q2, t0 */
        .insn   r 0x0B, 0, 1, x3, t1, x0 /* setq q3, t1 */
        li      t0, -1
        .insn   r 0x0B, 0, 3, x0, t0, x0 /* maskirq x0, t0 */
        .insn   r 0x0B, 0, 0, t0, x1, x0 /* getq t0, q1 */
        la      t1, interrupt
        sw      t0, 0(t1)
        .insn   r 0x0B, 0, 0, t0, x2, x0 /* getq t0, q2 */
        .insn   r 0x0B, 0, 0, t1, x3, x0 /* getq t1, q3 */
        .insn   r 0x0B, 0, 2, x0, x0, x0 /* retirq */

begin:  la      sp, stack
        la      t0, bss_begin
        la      t1, bss_end
clear:  bgeu    t0, t1, run
        sw      zero, 0(t0)
        addi    t0, t0, 4
        j       clear
run:    call    main
        li      t0, 0xC0000000 /* SOC_END */
        sw      a0, 0(t0)
        j       .
