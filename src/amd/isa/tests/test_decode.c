/* Statements about the encodings, with words from the ISA documents and the assembler. The whole set is judged by
 * tests/amd/isa_random.py; here stands what a reader should know of each format. */
#include "amd/isa/isa_tables.h"
#include "isa_test.h"

/* The words print as the text; they may have bits set that another encoder leaves clear. */
static void assert_meaning(struct code code, const char *expected)
{
    char text[ISA_MAX_TEXT];
    struct isa_inst inst = decoded(ISA_GFX10_3, code);
    amd_isa_print(ISA_GFX10_3, 32, &inst, text);
    assert_string_equal(text, expected);
}

static void scalar_instructions_name_sgprs_constants_and_a_literal(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0x80020100), "s_add_u32 s2, s0, s1");
    assert_text(ISA_GFX10_3, 32, CODE(0x8002c180), "s_add_u32 s2, 0, -1");
    assert_text(ISA_GFX10_3, 32, CODE(0x8002f2ff, 0x12345678), "s_add_u32 s2, 0x12345678, 1.0");
    assert_text(ISA_GFX10_3, 32, CODE(0xbe82047e), "s_mov_b64 s[2:3], exec");
    assert_text(ISA_GFX10_3, 32, CODE(0xbe80047d), "s_mov_b64 s[0:1], null");
}

static void a_scalar_pair_begins_at_an_even_register(void **state)
{
    assert_refused(ISA_GFX10_3, CODE(0xbe830402), ISA_ERROR_INVALID); /* s_mov_b64 s[3:4] */
}

/* Two things that Mesa's compiler writes and LLVM 14 does not know. */
static void comparisons_have_dpp_and_16_bit_integers_op_sel(void **state)
{
    assert_text(ISA_GFX10_3, 64, CODE(0x7d0a02fa, 0xff0c0000),
                "v_cmp_ne_i32_dpp vcc, v0, v1 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1");
    assert_text(ISA_GFX10_3, 64, CODE(0xd7034002, 0x00000704), "v_add_nc_u16 v2, v4, s3 op_sel:[0,0,1]");
    assert_refused(ISA_GFX10_3, CODE(0x7dc402fa, 0xff0c0000), ISA_ERROR_INVALID); /* 64 bits wide */
}

/* LLVM's assembler takes none there, but its disassembler does, and Mesa's compiler writes them: lanes that no wave
 * has. */
static void numbers_of_lanes_are_literals_too(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0xd760004a, 0x0001ff00, 0x41), "v_readlane_b32 s74, v0, 0x41");
    assert_text(ISA_GFX10_3, 64, CODE(0xd7610001, 0x0001fe02, 0x41), "v_writelane_b32 v1, s2, 0x41");
    assert_text(ISA_GFX10_3, 32, CODE(0xd7770005, 0x000dff01, 0x41), "v_permlane16_b32 v5, v1, 0x41, s3");
    assert_refused(ISA_GFX10_3, CODE(0xd760004a, 0x00020300), ISA_ERROR_INVALID); /* a VGPR */
}

/* LLVM 15 sets every modifier of a source together with the one that it means. */
static void permlane_has_op_sel_and_no_other_modifier(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0xd7780804, 0x02010101), "v_permlanex16_b32 v4, v1, 0, 0 op_sel:[1,0]");
    struct isa_inst inst;
    assert_int_equal(amd_isa_decode(ISA_GFX10_3, (const uint32_t[2]){0xd7784904, 0x22010101}, 2, &inst), 2);
    assert_true(inst.alu.op_sel == 1 && !inst.alu.abs && !inst.alu.neg);
    assert_meaning(CODE(0xd7780a04, 0x02010101), "v_permlanex16_b32 v4, v1, 0, 0 op_sel:[1,0]");
}

static void a_long_scalar_tuple_may_end_in_vcc(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0xf4081a01, 0xfa000000), "s_load_dwordx4 s[104:107], s[2:3], 0x0");
    assert_text(ISA_GFX10_3, 32, CODE(0xf40c1901, 0xfa000010), "s_load_dwordx8 s[100:107], s[2:3], 0x10");
    assert_refused(ISA_GFX10_3, CODE(0xf40c1a01, 0xfa000000), ISA_ERROR_INVALID); /* s[104:111] */
    assert_refused(ISA_GFX9, CODE(0xc00a1a01, 0x00000000), ISA_ERROR_INVALID);    /* s[104:107]: flat_scratch there */
}

static void m0_and_null_change_places_in_gfx11(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0xbefc0380), "s_mov_b32 m0, 0");
    assert_text(ISA_GFX11, 32, CODE(0xbefd0080), "s_mov_b32 m0, 0");
    assert_text(ISA_GFX11, 32, CODE(0xbefc0080), "s_mov_b32 null, 0");
}

static void waitcnt_splits_vmcnt_over_two_fields(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0xbf8cc07f), "s_waitcnt lgkmcnt(0)"); /* vmcnt 63: 15 below, 3 at the top */
    assert_text(ISA_GFX10_3, 32, CODE(0xbf8c3f70), "s_waitcnt vmcnt(0)");
    assert_text(ISA_GFX10_3, 32, CODE(0xbf8c7f70), "s_waitcnt vmcnt(16)");
    assert_text(ISA_GFX11, 32, CODE(0xbf8903f7), "s_waitcnt vmcnt(0)");
    for (unsigned imm = 0; imm < 0x10000; imm++) {
        struct isa_waitcnt wait = amd_isa_waitcnt_unpack(ISA_GFX10_3, (uint16_t)imm);
        assert_int_equal(wait.vmcnt, (imm & 15) | (imm >> 10 & 48));
        assert_int_equal(amd_isa_waitcnt_pack(ISA_GFX10_3, wait), imm & ~0x80u); /* bit 7 is unused */
    }
}

static void messages_and_hardware_registers_have_names(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0xbf900003), "s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)");
    assert_text(ISA_GFX10_3, 32, CODE(0xbf900122), "s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 1)");
    assert_text(ISA_GFX10_3, 32, CODE(0xbf900009), "s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)");
    assert_text(ISA_GFX10_3, 32, CODE(0xbf900011),
                "s_sendmsg sendmsg(1, 1, 0)"); /* an operation that it does not take */
    assert_text(ISA_GFX10_3, 32, CODE(0xb902f801), "s_getreg_b32 s2, hwreg(HW_REG_MODE)");
    assert_text(ISA_GFX10_3, 32, CODE(0xb9021901), "s_getreg_b32 s2, hwreg(HW_REG_MODE, 4, 4)");
    assert_text(ISA_GFX10_3, 32, CODE(0xba800801, 2), "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2");
}

static void a_lane_mask_is_one_sgpr_or_two(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0xd4010004, 0x00020501), "v_cmp_lt_f32_e64 s4, v1, v2");
    assert_text(ISA_GFX10_3, 64, CODE(0xd4010004, 0x00020501), "v_cmp_lt_f32_e64 s[4:5], v1, v2");
    assert_text(ISA_GFX10_3, 32, CODE(0x7c020501), "v_cmp_lt_f32_e32 vcc_lo, v1, v2");
    assert_text(ISA_GFX10_3, 64, CODE(0x7c020501), "v_cmp_lt_f32_e32 vcc, v1, v2");
    assert_text(ISA_GFX10_3, 64, CODE(0x50020501), "v_add_co_ci_u32_e32 v1, vcc, v1, v2, vcc");
}

static void cmpx_writes_exec_and_ignores_its_destination(void **state)
{
    struct isa_inst inst = decoded(ISA_GFX10_3, CODE(0xd411007e, 0x00020501));
    char text[ISA_MAX_TEXT];
    amd_isa_print(ISA_GFX10_3, 32, &inst, text);
    assert_string_equal(text, "v_cmpx_lt_f32_e64 v1, v2");
    assert_true(isa_info(inst.op)->writes & ISA_STATE_EXEC);
}

static void the_long_form_has_modifiers_and_since_gfx10_a_literal(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0xd5038301, 0x78020501), "v_add_f32_e64 v1, -|v1|, -|v2| clamp div:2");
    assert_text(ISA_GFX10_3, 32, CODE(0xd54b0001, 0x03fe04ff, 0x3f8ccccd), "v_fma_f32 v1, 0x3f8ccccd, v2, 0x3f8ccccd");
    assert_text(ISA_GFX10_3, 32, CODE(0xd5030001, 0x20020482), "v_add_f32_e64 v1, neg(2), v2");
    assert_refused(ISA_GFX9, CODE(0xd1cb0001, 0x040e04ff, 0x3f8ccccd), ISA_ERROR_INVALID);
    assert_text(ISA_GFX9, 64, CODE(0xd1cb0001, 0x040e0501), "v_fma_f32 v1, v1, v2, v3");
}

static void packed_halves_are_chosen_and_negated_one_by_one(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0xcc0f4001, 0x18020501), "v_pk_add_f16 v1, v1, v2");
    assert_text(ISA_GFX10_3, 32, CODE(0xcc0f4901, 0x30020501),
                "v_pk_add_f16 v1, v1, v2 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,0] neg_hi:[1,0]");
    assert_text(ISA_GFX10_3, 64, CODE(0xd75a4003, 0x040a0300),
                "v_interp_p2_f16 v3, v1, attr0.x, v2 high op_sel:[0,0,1]");
    assert_text(ISA_GFX10_3, 32, CODE(0xcc204101, 0x1c0e0501), "v_fma_mix_f32 v1, |v1|, v2, v3 op_sel_hi:[1,1,1]");
    assert_text(ISA_GFX9, 64, CODE(0xd38f4001, 0x18020501), "v_pk_add_f16 v1, v1, v2");
}

static void src0_of_the_short_form_chooses_dpp_and_sdwa(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0x7e0202fa, 0xff00e401),
                "v_mov_b32_dpp v1, v1 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf");
    assert_text(ISA_GFX10_3, 32, CODE(0x7e0202fa, 0x350d5f01),
                "v_mov_b32_dpp v1, v1 row_share:15 row_mask:0x3 bank_mask:0x5 bound_ctrl:1 fi:1");
    assert_text(ISA_GFX10_3, 32, CODE(0x7e0202e9, 0x05397701), "v_mov_b32_dpp v1, v1 dpp8:[7,6,5,4,3,2,1,0]");
    assert_text(ISA_GFX10_3, 32, CODE(0x7e0202ea, 0x05397701), "v_mov_b32_dpp v1, v1 dpp8:[7,6,5,4,3,2,1,0] fi:1");
    assert_text(
        ISA_GFX10_3, 32, CODE(0x4a0204f9, 0x0e860501),
        "v_add_nc_u32_sdwa v1, s1, sext(v2) dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD");
    assert_refused(ISA_GFX10_3, CODE(0x7e0202fa, 0xff014201), ISA_ERROR_INVALID); /* row_bcast left with GFX9 */
    assert_refused(ISA_GFX10_3, CODE(0x7e0202f9, 0x00070601), ISA_ERROR_INVALID); /* a selector of 7 */
    assert_refused(ISA_GFX10_3, CODE(0x7e0202f9, 0x00061e01), ISA_ERROR_INVALID); /* dst_unused 3 */
}

static void scalar_loads_have_a_register_a_number_or_both(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0xf4080102, 0xfa000010), "s_load_dwordx4 s[4:7], s[4:5], 0x10");
    assert_text(ISA_GFX10_3, 32, CODE(0xf4000042, 0xfa1fffff), "s_load_dword s1, s[4:5], -0x1");
    assert_text(ISA_GFX10_3, 32, CODE(0xf4014042, 0x04000000), "s_load_dword s1, s[4:5], s2 glc dlc");
    assert_text(ISA_GFX10_3, 32, CODE(0xf4000042, 0x04000020), "s_load_dword s1, s[4:5], s2 offset:0x20");
    assert_text(ISA_GFX9, 64, CODE(0xc0020042, 0x00000010), "s_load_dword s1, s[4:5], 0x10");
    assert_text(ISA_GFX9, 64, CODE(0xc0000042, 0x00000003), "s_load_dword s1, s[4:5], s3");
    assert_text(ISA_GFX11, 32, CODE(0xf4006042, 0xf8000010), "s_load_b32 s1, s[4:5], 0x10 glc dlc");
}

static void ds_has_one_offset_or_two(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0xd8d81234, 0x05000001), "ds_read_b32 v5, v1 offset:4660");
    assert_text(ISA_GFX10_3, 32, CODE(0xd8381234, 0x00030201), "ds_write2_b32 v1, v2, v3 offset0:52 offset1:18");
    assert_text(ISA_GFX10_3, 32, CODE(0xd8d48041, 0), "ds_swizzle_b32 v0, v0 offset:swizzle(QUAD_PERM,1,0,0,1)");
    assert_text(ISA_GFX10_3, 32, CODE(0xd8d4041f, 0), "ds_swizzle_b32 v0, v0 offset:swizzle(SWAP,1)");
    assert_text(ISA_GFX9, 64, CODE(0xd86c0010, 0x05000001),
                "ds_read_b32 v5, v1 offset:16"); /* its opcode begins a bit lower */
    assert_text(ISA_GFX11, 32, CODE(0xd8d80010, 0x05000001), "ds_load_b32 v5, v1 offset:16");
}

static void a_buffer_address_has_as_many_vgprs_as_idxen_and_offen_say(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0xe0300010, 0x80010800), "buffer_load_dword v8, off, s[4:7], 0 offset:16");
    assert_text(ISA_GFX10_3, 32, CODE(0xe0301010, 0x80010801), "buffer_load_dword v8, v1, s[4:7], 0 offen offset:16");
    assert_text(ISA_GFX10_3, 32, CODE(0xe030f010, 0x80c10801),
                "buffer_load_dword v8, v[1:2], s[4:7], 0 idxen offen offset:16 glc slc dlc tfe");
    assert_text(ISA_GFX11, 32, CODE(0xe0504010, 0x80410801), "buffer_load_b32 v8, v1, s[4:7], 0 offen offset:16 glc");
    assert_text(ISA_GFX10_3, 32, CODE(0xe8b00010, 0x80010800),
                "tbuffer_load_format_x v8, off, s[4:7], 0 format:[BUF_FMT_32_FLOAT] offset:16");
}

static void an_image_address_is_a_tuple_or_a_list(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0xf0800f08, 0x00610804),
                "image_sample v[8:11], v[4:5], s[4:11], s[12:15] dmask:0xf dim:SQ_RSRC_IMG_2D");
    assert_text(ISA_GFX10_3, 32, CODE(0xf0800f0a, 0x00610804, 5),
                "image_sample v[8:11], [v4, v5], s[4:11], s[12:15] dmask:0xf dim:SQ_RSRC_IMG_2D");
    assert_text(ISA_GFX10_3, 32, CODE(0xf1989f07, 0x00032732, 0x1011172e, 0x1314150f, 0x00002825),
                "image_bvh_intersect_ray v[39:42], [v50, v46, v23, v17, v16, v15, v21, v20, v19, v37, v40], s[12:15]");
    assert_refused(ISA_GFX10_3, CODE(0xf0800f0c, 0x00610804, 5), ISA_ERROR_TRUNCATED);
}

static void flat_segments_share_opcodes(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0xdc300010, 0x087d0004), "flat_load_dword v8, v[4:5] offset:16");
    assert_text(ISA_GFX10_3, 32, CODE(0xdc308ff0, 0x087d0004), "global_load_dword v8, v[4:5], off offset:-16");
    assert_text(ISA_GFX10_3, 32, CODE(0xdc308010, 0x08020004), "global_load_dword v8, v4, s[2:3] offset:16");
    assert_text(ISA_GFX10_3, 32, CODE(0xdc304010, 0x08020000), "scratch_load_dword v8, off, s2 offset:16");
    assert_text(ISA_GFX10_3, 32, CODE(0xdc304010, 0x087f0000), "scratch_load_dword v8, off, off offset:16");
    assert_text(ISA_GFX10_3, 32, CODE(0xdcc98010, 0x087d0204), "global_atomic_add v8, v[4:5], v2, off offset:16 glc");
    assert_meaning(CODE(0xdc300810, 0x087d0004), "flat_load_dword v8, v[4:5] offset:16"); /* no sign */
    assert_text(ISA_GFX9, 64, CODE(0xdc509000, 0x087f0004), "global_load_dword v8, v[4:5], off offset:-4096");
    assert_text(ISA_GFX11, 32, CODE(0xdc525010, 0x087c0004), "global_load_b32 v8, v[4:5], off offset:-4080 glc");
}

static void exports_name_their_target_and_channels(void **state)
{
    assert_text(ISA_GFX10_3, 32, CODE(0xf80008cf, 0x04030201), "exp pos0 v1, v2, v3, v4 done");
    assert_text(ISA_GFX10_3, 32, CODE(0xf8001803, 0x00000201), "exp mrt0 v1, v2, off, off done vm");
    assert_text(ISA_GFX10_3, 32, CODE(0xf8001c0f, 0x00000201), "exp mrt0 v1, v1, v2, v2 done compr vm");
    assert_text(ISA_GFX9, 64, CODE(0xc4001803, 0x00000201), "exp mrt0 v1, v2, off, off done vm");
}

static void what_is_short_is_not_what_does_not_exist(void **state)
{
    struct isa_inst inst;
    assert_int_equal(amd_isa_decode(ISA_GFX10_3, NULL, 0, &inst), ISA_ERROR_TRUNCATED);
    assert_refused(ISA_GFX10_3, CODE(0x8002f2ff), ISA_ERROR_TRUNCATED); /* the literal */
    assert_refused(ISA_GFX10_3, CODE(0xd5038301), ISA_ERROR_TRUNCATED); /* the second dword */
    assert_refused(ISA_GFX10_3, CODE(0xffffffff), ISA_ERROR_INVALID);
    assert_refused(ISA_GFX10_3, CODE(0xbfff0000), ISA_ERROR_INVALID);             /* no such SOPP */
    assert_refused(ISA_GFX10_3, CODE(0xd5170001, 0x000205ff), ISA_ERROR_INVALID); /* no such VOP3 */
    assert_refused(ISA_GFX10_3, CODE(0xe0380010, 0x8001fe00), ISA_ERROR_INVALID); /* v[254:257] */
}

/* ACO of Mesa 26.2 fills the sources that a long instruction lacks with an inline 0. */
static void operands_that_an_instruction_lacks_are_not_read(void **state)
{
    assert_meaning(CODE(0xd5690001, 0x02020501), "v_mul_lo_u32 v1, v1, v2");
    assert_meaning(CODE(0xd5690001, 0x03fe0501), "v_mul_lo_u32 v1, v1, v2"); /* 255: no literal either */
    assert_meaning(CODE(0xcc0f4001, 0x1a020501), "v_pk_add_f16 v1, v1, v2");
    assert_meaning(CODE(0xbe841f7e), "s_getpc_b64 s[4:5]");
    assert_meaning(CODE(0xbf8a1234), "s_barrier");
    assert_meaning(CODE(0xd8d81234, 0x05ffff01), "ds_read_b32 v5, v1 offset:4660");
    assert_meaning(CODE(0xf0000f08, 0x07e10804),
                   "image_load v[8:11], v[4:5], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D"); /* no sampler */
}

static void modifiers_and_bits_that_an_instruction_lacks_are_not_read(void **state)
{
    assert_meaning(CODE(0xd569ff01, 0xf8020501), "v_mul_lo_u32 v1, v1, v2");
    assert_meaning(CODE(0xd8d91234, 0x05000001), "ds_read_b32 v5, v1 offset:4660");
    assert_meaning(CODE(0xe0320010, 0x80210800), "buffer_load_dword v8, off, s[4:7], 0 offset:16");
    assert_meaning(CODE(0xe0c88010, 0x80010800), "buffer_atomic_add v8, off, s[4:7], 0 offset:16"); /* dlc */
}

/* Set, they ask for another form, of which there is no row, or are a violation. */
static void some_modifiers_are_read_in_every_instruction(void **state)
{
    assert_refused(ISA_GFX10_3, CODE(0xdc30a010, 0x087d0004), ISA_ERROR_INVALID); /* lds of a global load */
    assert_refused(ISA_GFX10_3, CODE(0xe0c80010, 0x80810800), ISA_ERROR_INVALID); /* tfe of an atomic */
    assert_refused(ISA_GFX10_3, CODE(0xdace0000, 0x01000100), ISA_ERROR_INVALID); /* gds of ds_bpermute */
    assert_refused(ISA_GFX10_3, CODE(0xdc300010, 0x08020004), ISA_ERROR_INVALID); /* a scalar address of FLAT */
    assert_refused(ISA_GFX10_3, CODE(0xf4200042, 0xfa1fffff), ISA_ERROR_INVALID); /* before a scalar buffer */
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Random words of an encoding, each beside itself with other bits where nothing is read. Returns how many decode. */
static unsigned compare_words(enum isa_gfx gfx, const struct isa_entry *entry, uint64_t *seed)
{
    enum {
        TRIES = 60
    };
    unsigned decoded_count = 0;
    uint64_t unread = entry->unread;
    /* The first source of v_nop in its short form may still name another encoding. */
    if (entry->variant == ISA_VARIANT_BASE && entry->format == ISA_FORMAT_VOP1)
        unread &= ~0x1ffull;
    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t plain = entry->value | (next_random(seed) & next_random(seed) & ~entry->mask);
        uint64_t other = plain ^ (next_random(seed) & unread);
        uint32_t words[ISA_MAX_DW] = {(uint32_t)plain, (uint32_t)(plain >> 32), 0x12345678, 0x9abcdef0, 0xfedcba98};
        struct isa_inst inst, again;
        int size_dw = amd_isa_decode(gfx, words, ISA_MAX_DW, &inst);
        words[0] = (uint32_t)other;
        words[1] = (uint32_t)(other >> 32);
        assert_int_equal(amd_isa_decode(gfx, words, ISA_MAX_DW, &again), size_dw);
        if (size_dw < 0)
            continue;
        decoded_count++;
        if (memcmp(&inst, &again, sizeof(inst)) != 0)
            fail_msg("%s: %016llx and %016llx", amd_isa_op_name(gfx, entry->op), (unsigned long long)plain,
                     (unsigned long long)other);
    }
    return decoded_count;
}

static void words_mean_the_same_whatever_nobody_reads(void **state)
{
    uint64_t seed = 0x9e3779b97f4a7c15;
    unsigned decoded_count = 0;
    for (unsigned gfx = 0; gfx < ISA_GFX_COUNT; gfx++) {
        for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
            for (unsigned variant = 0; variant < ISA_VARIANT_COUNT; variant++) {
                unsigned number = amd_isa_generations[gfx].encode[op][variant];
                if (number)
                    decoded_count += compare_words(gfx, &amd_isa_entries[number], &seed);
            }
        }
    }
    assert_true(decoded_count > 50000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_instructions_name_sgprs_constants_and_a_literal),
        cmocka_unit_test(a_scalar_pair_begins_at_an_even_register),
        cmocka_unit_test(comparisons_have_dpp_and_16_bit_integers_op_sel),
        cmocka_unit_test(numbers_of_lanes_are_literals_too),
        cmocka_unit_test(permlane_has_op_sel_and_no_other_modifier),
        cmocka_unit_test(a_long_scalar_tuple_may_end_in_vcc),
        cmocka_unit_test(m0_and_null_change_places_in_gfx11),
        cmocka_unit_test(waitcnt_splits_vmcnt_over_two_fields),
        cmocka_unit_test(messages_and_hardware_registers_have_names),
        cmocka_unit_test(a_lane_mask_is_one_sgpr_or_two),
        cmocka_unit_test(cmpx_writes_exec_and_ignores_its_destination),
        cmocka_unit_test(the_long_form_has_modifiers_and_since_gfx10_a_literal),
        cmocka_unit_test(packed_halves_are_chosen_and_negated_one_by_one),
        cmocka_unit_test(src0_of_the_short_form_chooses_dpp_and_sdwa),
        cmocka_unit_test(scalar_loads_have_a_register_a_number_or_both),
        cmocka_unit_test(ds_has_one_offset_or_two),
        cmocka_unit_test(a_buffer_address_has_as_many_vgprs_as_idxen_and_offen_say),
        cmocka_unit_test(an_image_address_is_a_tuple_or_a_list),
        cmocka_unit_test(flat_segments_share_opcodes),
        cmocka_unit_test(exports_name_their_target_and_channels),
        cmocka_unit_test(operands_that_an_instruction_lacks_are_not_read),
        cmocka_unit_test(modifiers_and_bits_that_an_instruction_lacks_are_not_read),
        cmocka_unit_test(some_modifiers_are_read_in_every_instruction),
        cmocka_unit_test(words_mean_the_same_whatever_nobody_reads),
        cmocka_unit_test(what_is_short_is_not_what_does_not_exist),
    };
    return cmocka_run_group_tests_name("amd/isa decode", tests, NULL, NULL);
}
