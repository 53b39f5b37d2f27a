/* Statements about the encodings, by category: what a word is called. The text of all forms is judged from outside
 * (docs/adreno-isa.md); here stands what a reader should know of each category. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adreno/isa/isa.h"

static void assert_text(uint64_t word, const char *expected)
{
    struct adreno_isa_inst inst;
    char text[ADRENO_ISA_MAX_TEXT];
    if (adreno_isa_decode(word, &inst) != 0)
        fail_msg("0x%016llx (%s) is refused", (unsigned long long)word, expected);
    adreno_isa_print(&inst, text);
    assert_string_equal(text, expected);
}

static void assert_refused(uint64_t word)
{
    struct adreno_isa_inst inst;
    assert_int_equal(adreno_isa_decode(word, &inst), ADRENO_ISA_ERROR_INVALID);
}

/* Category 0: predicates, distances, (jp), (eq), a repeat. */
static void control_flow(void **state)
{
    (void)state;
    assert_text(UINT64_C(0x1b00000000000000), "(sy)(jp)end");
    assert_text(UINT64_C(0x0000050000000000), "(rpt5)nop");
    assert_text(UINT64_C(0x00b0000000000010), "br !p0.y, #16");
    assert_text(UINT64_C(0x0080e02000000000), "brao p0.x, !p0.w, #0");
    assert_text(UINT64_C(0x00800065fffffff0), "brac.5 #-16");
    assert_text(UINT64_C(0x02b1000000000000), "(eq)kill !p0.y");
    assert_text(UINT64_C(0x0212000000000007), "getlast.w4 #7");
}

/* Category 1: constants, relative addressing, immediates by type, address registers. */
static void moves_and_conversions(void **state)
{
    (void)state;
    assert_text(UINT64_C(0x2024400c00000123), "mov.f32f32 r3.x, c72.w");
    assert_text(UINT64_C(0x200cc30500000c05), "(rpt3)mov.u32u32 r1.y, c<a0.x + 5>");
    assert_text(UINT64_C(0x20090004000004f0), "cov.u16s16 hr1.x, (last)hr60.x");
    assert_text(UINT64_C(0x204cc00600001000), "mov.u32u32 r1.z, 4096");
    assert_text(UINT64_C(0x204cc00600001001), "mov.u32u32 r1.z, 0x1001");
    assert_text(UINT64_C(0x2044c007c0490fdb), "cov.f32u32 r1.w, (-3.141593)");
    assert_text(UINT64_C(0x21800008000000ff), "mov.f16f16 (neg_infinity)hr2.x, hr63.w");
    assert_text(UINT64_C(0x200b4010000000c1), "cov.u16s32 r<a0.x + 16>, hr48.y");
    assert_text(UINT64_C(0x201100f400000003), "mova a0.x, hr0.w");
    assert_text(UINT64_C(0x204880f50000002a), "mova1 a1.x, 42");
    assert_text(UINT64_C(0x204c43000000ffff), "(rpt3)cov.u32f32 r0.x, 0xffff");
    assert_text(UINT64_C(0x240cc00800010203), "swz.u32u32 r2.x, r0.y, r0.w, r0.z");
    assert_text(UINT64_C(0x2400410804010203), "gat.f16f32 r2.x, hr0.w, hr0.z, hr0.y, hr1.x");
    assert_text(UINT64_C(0x260cc1c400000000), "movmsk.w64 r49.x");
    /* One fiber's value: its number, or a0.x. */
    assert_text(UINT64_C(0x300cc0c481800007), "(sy)movs.u32u32 r49.x, r1.w, 3");
    assert_text(UINT64_C(0x200440c0ae800004), "movs.f32f32 r48.x, r1.x, 93");
    assert_text(UINT64_C(0x201100c0c000040b), "movs.s16s16 hr48.x, (last)hr2.w, a0.x");
    assert_refused(UINT64_C(0x201100c0c080040b)); /* both */
}

/* Category 2: half registers, floats of the table, (r) with a repeat. */
static void two_sources_and_comparisons(void **state)
{
    (void)state;
    assert_text(UINT64_C(0x4010000100030002), "add.f r0.y, r0.z, r0.w");
    assert_text(UINT64_C(0x4010000120030c02), "add.f r0.y, c<a0.x + 2>, 3");
    assert_text(UINT64_C(0x4070420567ff1011), "(rpt2)mul.f hr1.y, c4.y, (neg)-1");
    assert_text(UINT64_C(0x40b500f82c020801), "cmps.f.ne p0.x, r<a0.x + 1>, h(1.0)");
    assert_text(UINT64_C(0x52500903a0050007), "(sy)(rpt1)sub.u r0.w, (r)r1.w, (abs)5");
    assert_text(UINT64_C(0x4300090010010002), "(rpt1)max.u hr0.x, (r)hr0.z, hc0.y");
    assert_text(UINT64_C(0x473480012c0b2003), "flat.b (ei)r0.y, 3, h(4.0)");
    assert_text(UINT64_C(0x4730880200002000), "(nop1) bary.f (ei)r0.z, 0, r0.x");
    assert_text(UINT64_C(0x473c800000002000), "(nop2) flat.b (ei)r0.x, 0, r0.x");
    assert_text(UINT64_C(0x4738090200002000), "(rpt1)bary.f r0.z, (r)0, (r)r0.x");
}

/* Category 3: (r) without a repeat is a number of nops. */
static void three_sources(void **state)
{
    (void)state;
    assert_text(UINT64_C(0x63820301b0055006), "(rpt3)mad.f32 r0.y, (neg)c1.z, r1.x, (neg)(r)c1.y");
    assert_text(UINT64_C(0x6203800410030005), "mad.u24 r1.x, r1.y, r1.w, c0.w");
    assert_text(UINT64_C(0x6481080200040003), "(nop1) sel.b32 r0.z, r0.w, r0.z, r1.x");
    assert_text(UINT64_C(0x66408c0290036005), "(nop1) andg r0.z, (neg)r1.y, r32.y, (neg)3");
    assert_text(UINT64_C(0x6781080210020002), "(nop1) sad.s32 r0.z, r0.z, r0.z, c0.z");
}

/* Category 4. */
static void special_functions(void **state)
{
    (void)state;
    assert_text(UINT64_C(0x8034890700001009), "(rpt1)rsq r1.w, (r)c2.y");
}

/* Category 5: where texture and sampler come from; quads. */
static void textures_and_quads(void **state)
{
    (void)state;
    assert_text(UINT64_C(0xa0c01f0004200001), "sam (f32)(xyzw)r0.x, r0.x, s#1, t#2");
    assert_text(UINT64_C(0xa3c03f0400000003), "dsy (u32)(xyzw)r1.x, r0.y");
    assert_text(UINT64_C(0xa0c01f040cc40005), "sam.clp (f32)(xyzw)r1.x, r0.z, r0.x, s#6, t#6");
    assert_text(UINT64_C(0xa1083f06c0240805), "samb.base0.clp (u32)(xyzw)r1.z, r0.z, r1.x, s#1, t#0");
    assert_text(UINT64_C(0xa0c93f10a2400001), "sam.3d.s2en.uniform.base0 (u32)(xyzw)r4.x, r0.x, r4.z");
    assert_text(UINT64_C(0xa7c0310200180003), "brcst.active.w16 (u32)(x)r0.z, r0.y");
    assert_text(UINT64_C(0xa1d23f0812600a07), "getlod.a.o (u32)(xyzw)r2.x, r0.w, r1.y, s#3, t#9");
    assert_text(UINT64_C(0xa02c3f04c42c0e07), "isam.v.base2 (u32)(xyzw)r1.x, r0.w+7, s#1, t#2");
    assert_text(UINT64_C(0xa1489704e8201207), "saml.base1 (f32)(xyz)r1.x, r0.w, r2.y, s#65, a1.x");
    assert_text(UINT64_C(0xa0c8170481a00007), "sam.s2en.nonuniform (f32)(xyz)r1.x, r0.w, hr3.y");
    assert_text(UINT64_C(0xa6c0130400000000), "rgetinfo (f32)(xy)r1.x");
    assert_text(UINT64_C(0xa7e0110400000c07), "quad_shuffle.brcst (f32)(x)r1.x, r0.w, r1.z");
}

/* Category 6: global, local, private, constants, buffers and images with and without descriptors in sets. */
static void memory(void **state)
{
    (void)state;
    assert_text(UINT64_C(0xc0020005038103ff), "ldg.f32 r1.y, g[r1.x+511], 3");
    assert_text(UINT64_C(0xc002000503c17405), "ldg.a.f32 r1.y, g[r1.y+r0.z<<5+2<<2], 3");
    assert_text(UINT64_C(0xc0d2090603802605), "stg.a.f32 g[r1.x+r1.z<<4+3<<2], r0.z, 3");
    assert_text(UINT64_C(0xc0d60904018c0007), "stg.a.u32 g[r1.x+(r1.x)<<2], r0.w, 1");
    assert_text(UINT64_C(0xc0160120008203ff), "ldg.k.u32 c[a1.x+32], g[r2.x+511], 1");
    assert_text(UINT64_C(0xc2860a0401814021), "ldlw.u32 r1.x, l[r1.y+16], 1");
    assert_text(UINT64_C(0xc0260c0a0a61b280), "ldib.b.untyped.2d.u32.4.nonuniform r2.z, r2.z, r1.z");
    assert_text(UINT64_C(0xc026000500c7b540), "ldc.offset2.4.uniform.base0 r1.y, 0, r0.x");
    assert_text(UINT64_C(0xc036000700c78342), "ldc.8.k.uniform.base1 c[a1.x], 0, r0.x");
    assert_text(UINT64_C(0xc026000400494000), "getwid.u32 r1.x");
    assert_text(UINT64_C(0xc70601050180000c), "stc.u32 c[a1.x+5], r1.z, 1");
    assert_text(UINT64_C(0xc7c6000402c00020), "ldlv.u32 r1.x, l[16], 2");
    assert_text(UINT64_C(0xc58a000507824001), "atomic.min.untyped.1d.s32.1.l r1.y, l[r2.y], 7");
    assert_text(UINT64_C(0xc65c000408030001), "atomic.g.or.untyped.1d.u64.1.g r1.x, r3.x, r2.x");
    assert_text(UINT64_C(0xc166120408e75546), "stib.b.untyped.3d.u32.2.uniform.base3 r1.x, r2.x+5, r2.y");
    assert_text(UINT64_C(0xc03a04040865c982), "atomic.b.max.typed.1d.s32.1.nonuniform.base1 r1.x, r2.x, r0.z");
    assert_text(UINT64_C(0xc026020700630080), "resbase.untyped.1d.u32.1.nonuniform r1.w, r0.y");
    assert_text(UINT64_C(0xc6e8e0050900000c), "shfl.rdown.s16 hr1.y, hr1.z, r2.y");
    assert_text(UINT64_C(0xc14617f002803e0c), "stp.u32 p[r2.w-16], r1.z, 2");
    assert_text(UINT64_C(0xc3e60c0400000400), "resinfo.u32.3d r1.x, g[6]");
}

/* Category 7: bits without a meaning do not matter. */
static void barriers_and_caches(void **state)
{
    (void)state;
    assert_text(UINT64_C(0xe0d2100000000000), "(ss)fence.g.r");
    assert_text(UINT64_C(0xf9000000aaaaaaaa), "(sy)(jp)sleep.s");
    assert_text(UINT64_C(0xe2080000deadbeef), "dccln.all");
}

static void what_the_tables_do_not_have_is_refused(void **state)
{
    (void)state;
    assert_refused(UINT64_MAX);
    assert_refused(UINT64_C(0x0600000000000000)); /* an opcode of category 0 without a row */
    assert_refused(UINT64_C(0x40b600f80c020001)); /* a comparison of the kind 6 */
    assert_refused(UINT64_C(0x401000012c0c0002)); /* the thirteenth float of twelve */
    assert_refused(UINT64_C(0x4010000100030302)); /* bits above a register's number */
    assert_refused(UINT64_C(0x6382000110311830)); /* the same of a constant in category 3 */
    assert_refused(UINT64_C(0xa3c03f0400200003)); /* dsy with a sampler */
    assert_refused(UINT64_C(0xa3403f0400000003)); /* getinfo with coordinates */
    assert_refused(UINT64_C(0xa0c09f0004200001)); /* a set, but no descriptor in one */
    assert_refused(UINT64_C(0xc6e6a00503800008)); /* a shuffle of the kind 5 */
    assert_refused(UINT64_C(0xc03a0e04026587c2)); /* mode 3 */
    assert_refused(UINT64_C(0xc0a6020503674144)); /* an offset that is switched off */
}

/* The two names of a register of 32 bits and of its halves: hr0.x and hr0.y lie in r0.x. The decoder only marks
 * them. */
static void half_registers_are_marked(void **state)
{
    (void)state;
    struct adreno_isa_inst inst;
    assert_int_equal(adreno_isa_decode(UINT64_C(0x4000400100030002), &inst), 0); /* add.f r0.y, hr0.z, hr0.w */
    assert_int_equal(inst.operands[ADRENO_ISA_PLACE_DST].flags, 0);
    assert_int_equal(inst.operands[ADRENO_ISA_PLACE_SRC0].flags, ADRENO_ISA_FLAG_HALF);
    assert_int_equal(inst.operands[ADRENO_ISA_PLACE_SRC1].flags, ADRENO_ISA_FLAG_HALF);
    assert_int_equal(inst.operands[ADRENO_ISA_PLACE_SRC1].value, 3);
}

static void a_resource_is_named_in_many_ways(void **state)
{
    (void)state;
    struct adreno_isa_inst inst;
    assert_int_equal(adreno_isa_decode(UINT64_C(0xa0c01f0004200001), &inst), 0);
    struct adreno_isa_resource resource = adreno_isa_resource(&inst);
    assert_true(resource.has_sampler && resource.has_texture && !resource.has_register && !resource.is_bindless);
    assert_int_equal(resource.sampler, 1);
    assert_int_equal(resource.texture, 2);
    assert_int_equal(adreno_isa_decode(UINT64_C(0xa0c93f10a2400001), &inst), 0);
    resource = adreno_isa_resource(&inst);
    assert_true(resource.has_register && resource.is_bindless && resource.is_uniform && !resource.has_texture);
    assert_int_equal(resource.reg, 4 * 4 + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_flow),
        cmocka_unit_test(moves_and_conversions),
        cmocka_unit_test(two_sources_and_comparisons),
        cmocka_unit_test(three_sources),
        cmocka_unit_test(special_functions),
        cmocka_unit_test(textures_and_quads),
        cmocka_unit_test(memory),
        cmocka_unit_test(barriers_and_caches),
        cmocka_unit_test(what_the_tables_do_not_have_is_refused),
        cmocka_unit_test(half_registers_are_marked),
        cmocka_unit_test(a_resource_is_named_in_many_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
