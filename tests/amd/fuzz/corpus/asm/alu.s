bs_mov_b32 s0, 1
v_add_f32_e64 v1, -|v2|, s3 clamp mul:2
v_mov_b32_dpp v0, v1 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf
v_add_nc_u32_sdwa v0, sext(v1), v2 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
v_pk_add_f16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,0]
s_endpgm
