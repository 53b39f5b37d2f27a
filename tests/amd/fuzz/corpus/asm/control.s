bx = 3
.set y, x * (2 + 1)
loop: s_waitcnt vmcnt(0) & lgkmcnt(0)
s_setreg_b32 hwreg(HW_REG_MODE, 0, y), s0 ; comment
s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 0)
s_cbranch_scc1 loop /* back */
.long 0xdeadbeef // data
