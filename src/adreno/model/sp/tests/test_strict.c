/* Strict mode: what is read before it was waited for is found, what was waited for is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "adreno/isa/isa.h"
#include "adreno/model/hlsq/hlsq.h"
#include "adreno/model/sp/strict.h"

#define BASE_VA 0x100000000ull
#define SIZE_B 0x10000u

/* Registers that programs find written, from r0.x on; and those that are read when they have ended. */
static unsigned inputs = 48 * 4;
static struct adreno_output outputs[4];
static unsigned output_count;

/* Where a program stops in strict mode, or -1. */
static int stops_at(const char *source)
{
    static struct adreno_stage_state state;
    static uint32_t constants[ADRENO_WAVE_CONSTANTS_DW];
    static uint8_t local[1024];
    struct gpu_space space = {0};
    const struct gpu_extent extent = {BASE_VA, 1 << 20};
    unsigned line;
    int fd = memfd_create("strict", 0), found = -1;
    assert_int_equal(ftruncate(fd, SIZE_B), 0);
    uint64_t *words = mmap(NULL, SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_int_equal(gpu_space_init(&space, &extent, 1), 0);
    assert_int_equal(gpu_space_map_file(&space, BASE_VA, SIZE_B, fd, 0, GPU_PERM_RWX), 0);
    if (adreno_isa_assemble(source, words, 64, &line) < 0)
        fail_msg("line %u is not read", line);
    constants[1] = 1; /* c0.xy: BASE_VA */
    const struct adreno_launch launch = {.stage = ADRENO_STAGE_CS,
                                         .lanes = 64,
                                         .program_va = BASE_VA,
                                         .constants = constants,
                                         .constants_dw = ADRENO_WAVE_CONSTANTS_DW,
                                         .local_size_B = sizeof(local),
                                         .state = &state,
                                         .outputs = outputs,
                                         .output_count = output_count,
                                         .serial = 1};
    struct adreno_sp *sp = adreno_sp_create(&space, NULL);
    struct adreno_wave *wave = adreno_sp_begin(sp, &launch);
    assert_non_null(wave);
    wave->local = local;
    memset(adreno_wave_row(wave, 0), 0, 64 * 4 * 48);
    for (unsigned i = 0; i < inputs; i++)
        adreno_wave_has_input(wave, i, false);
    if (!adreno_sp_run(wave)) {
        assert_int_equal(wave->fault.kind, ADRENO_FAULT_STRICT);
        found = (int)((wave->fault.pc - BASE_VA) / 8);
    }
    adreno_sp_destroy(sp);
    gpu_space_finish(&space);
    munmap(words, SIZE_B);
    close(fd);
    return found;
}

static void special_functions_are_waited_for(void **state)
{
    (void)state;
    assert_int_equal(stops_at("rcp r1.x, r0.x\nadd.f r1.y, r1.x, r1.x\nend"), 1);
    assert_int_equal(stops_at("rcp r1.x, r0.x\n(ss)add.f r1.y, r1.x, r1.x\nend"), -1);
    assert_int_equal(stops_at("rcp r1.x, r0.x\n(sy)add.f r1.y, r1.x, r1.x\nend"), 1);
    assert_int_equal(stops_at("rcp r1.x, r0.x\n(ss)nop\nadd.f r1.y, r1.x, r1.x\nend"), -1);
    assert_int_equal(stops_at("(rpt1)rcp r1.x, r0.x\nadd.f r2.y, r1.z, r0.x\nadd.f r2.y, r1.y, r0.x\nend"), 2);
}

static void loads_are_waited_for(void **state)
{
    static const char head[] = "mov.u32u32 r2.x, c0.x\nmov.u32u32 r2.y, c0.y\n(rpt5)nop\n";
    char source[256];
    (void)state;
    snprintf(source, sizeof(source), "%sldg.u32 r1.x, g[r2.x], 2\nmov.u32u32 r3.x, r1.y\nend", head);
    assert_int_equal(stops_at(source), 4);
    snprintf(source, sizeof(source), "%sldg.u32 r1.x, g[r2.x], 2\n(sy)mov.u32u32 r3.x, r1.y\nend", head);
    assert_int_equal(stops_at(source), -1);
    assert_int_equal(stops_at("ldl.u32 r1.x, l[r0.x], 1\nmov.u32u32 r3.x, r1.x\nend"), 1);
    assert_int_equal(stops_at("ldl.u32 r1.x, l[r0.x], 1\n(ss)mov.u32u32 r3.x, r1.x\nend"), -1);
    /* A half of a pending register. */
    assert_int_equal(stops_at("ldl.u32 r1.x, l[r0.x], 1\nmov.u16u16 hr9.x, hr2.y\nend"), 1);
}

/* A wait that is missing is seen across branches, too. */
static void waits_cross_branches(void **state)
{
    (void)state;
    assert_int_equal(stops_at("rcp r1.x, r0.x\njump #out\nnop\nout:\n(jp)mov.u32u32 r2.x, r1.x\nend"), 3);
    assert_int_equal(stops_at("rcp r1.x, r0.x\njump #out\nnop\nout:\n(ss)(jp)mov.u32u32 r2.x, r1.x\nend"), -1);
}

/* A unit that answers late reads its sources late, too. */
static void sources_are_not_overwritten(void **state)
{
    (void)state;
    assert_int_equal(stops_at("rcp r1.x, r0.x\nmov.u32u32 r0.x, c0.x\nend"), 1);
    assert_int_equal(stops_at("rcp r1.x, r0.x\n(sy)mov.u32u32 r0.x, c0.x\nend"), 1);
    assert_int_equal(stops_at("rcp r1.x, r0.x\n(ss)mov.u32u32 r0.x, c0.x\nend"), -1);
    assert_int_equal(stops_at("stl.u32 l[r0.x], r2.x, 2\nmov.u32u32 r2.y, c0.x\nend"), 1);
    assert_int_equal(stops_at("stl.u32 l[r0.x], r2.x, 2\nmov.u32u32 r2.z, c0.x\nend"), -1);
    assert_int_equal(stops_at("stl.u32 l[r0.x], r2.x, 2\n(ss)mov.u32u32 r2.y, c0.x\nend"), -1);
    /* All registers that derivatives read; (sy) helps, too, for the results are there. */
    assert_int_equal(stops_at("dsx (f32)(xy)r4.x, r2.x\nmov.u32u32 r2.y, c0.x\nend"), 1);
    assert_int_equal(stops_at("dsx (f32)(xy)r4.x, r2.x\n(sy)mov.u32u32 r2.y, c0.x\nend"), -1);
    assert_int_equal(stops_at("dsx (f32)(xy)r4.x, r2.x\n(ss)mov.u32u32 r2.y, c0.x\nend"), -1);
    /* A result that is on its way would come last. */
    assert_int_equal(stops_at("rcp r1.x, r0.x\nmov.u32u32 r1.x, c0.x\nend"), 1);
}

static void alu_results_have_a_delay(void **state)
{
    (void)state;
    /* Three slots to an ALU, one with (nop2) less, two fewer to the third source of mad. */
    assert_int_equal(stops_at("mov.u32u32 r1.x, c0.x\n(rpt1)nop\nadd.f r2.x, r1.x, r0.x\nend"), 2);
    assert_int_equal(stops_at("mov.u32u32 r1.x, c0.x\n(rpt2)nop\nadd.f r2.x, r1.x, r0.x\nend"), -1);
    assert_int_equal(stops_at("(nop2) add.f r1.x, r0.x, r0.x\nadd.f r2.x, r1.x, r0.x\nend"), 1);
    assert_int_equal(stops_at("(nop3) add.f r1.x, r0.x, r0.x\nadd.f r2.x, r1.x, r0.x\nend"), -1);
    assert_int_equal(stops_at("mov.u32u32 r1.x, c0.x\nmad.f32 r2.x, r0.x, r0.y, r1.x\nend"), 1);
    assert_int_equal(stops_at("mov.u32u32 r1.x, c0.x\nnop\nmad.f32 r2.x, r0.x, r0.y, r1.x\nend"), -1);
    /* Six to other units, and between halves and whole registers. */
    assert_int_equal(stops_at("mov.u32u32 r1.x, c0.x\n(rpt4)nop\nrcp r2.x, r1.x\nend"), 2);
    assert_int_equal(stops_at("mov.u32u32 r1.x, c0.x\n(rpt5)nop\nrcp r2.x, r1.x\nend"), -1);
    assert_int_equal(stops_at("mov.u32u32 r1.x, c0.x\n(rpt4)nop\nmov.u16u16 hr9.x, hr2.y\nend"), 2);
    assert_int_equal(stops_at("mov.u32u32 r1.x, c0.x\n(rpt5)nop\nmov.u16u16 hr9.x, hr2.y\nend"), -1);
    /* A repeat writes, and reads, one register in each slot. */
    assert_int_equal(stops_at("(rpt2)mov.u32u32 r1.x, c0.x\nnop\nadd.f r2.x, r1.x, r0.x\nend"), -1);
    assert_int_equal(stops_at("(rpt2)mov.u32u32 r1.x, c0.x\nadd.f r2.x, r1.x, r0.x\nend"), 1);
    assert_int_equal(stops_at("(rpt1)mov.u32u32 r1.x, c0.x\n(rpt1)nop\n(rpt1)add.f r2.x, (r)r1.x, r0.x\nend"), -1);
}

static void special_registers_have_a_delay(void **state)
{
    (void)state;
    assert_int_equal(stops_at("cmps.u.eq p0.x, r0.x, 0\n(rpt4)nop\nbr p0.x, #out\nnop\nout:\n(jp)end"), 2);
    assert_int_equal(stops_at("cmps.u.eq p0.x, r0.x, 0\n(rpt5)nop\nbr p0.x, #out\nnop\nout:\n(jp)end"), -1);
    assert_int_equal(stops_at("mova a0.x, hr0.x\n(rpt4)nop\nmov.u32u32 r1.x, c<a0.x + 4>\nend"), 2);
    assert_int_equal(stops_at("mova a0.x, hr0.x\n(rpt5)nop\nmov.u32u32 r1.x, c<a0.x + 4>\nend"), -1);
    /* Shared registers are waited for, but by the ALU that wrote them. */
    assert_int_equal(stops_at("mov.u32u32 r48.x, c0.x\n(rpt5)nop\nmov.u32u32 r1.x, r48.x\nend"), 2);
    assert_int_equal(stops_at("mov.u32u32 r48.x, c0.x\nshl.b r48.x, r48.x, 2\nend"), -1);
    assert_int_equal(stops_at("mov.u32u32 r48.x, r0.x\nshl.b r48.x, r48.x, 2\nend"), 1);
    assert_int_equal(stops_at("movs.u32u32 r48.x, r0.x, 3\nshl.b r48.x, r48.x, 2\nend"), 1);
    assert_int_equal(stops_at("mova a0.x, hr0.x\n(rpt4)nop\nmovs.u32u32 r48.x, r0.x, a0.x\nend"), 2);
    assert_int_equal(stops_at("mov.u32u32 r48.x, c0.x\n(ss)mov.u32u32 r1.x, r48.x\nend"), -1);
}

static void written_constants_are_waited_for(void **state)
{
    (void)state;
    assert_int_equal(stops_at("stc.u32 c[8], r0.x, 2\nmov.u32u32 r1.x, c2.y\nend"), 1);
    assert_int_equal(stops_at("stc.u32 c[8], r0.x, 2\nmov.u32u32 r1.x, c2.z\nend"), -1);
    assert_int_equal(stops_at("stc.u32 c[8], r0.x, 2\n(ss)mov.u32u32 r1.x, c2.y\nend"), -1);
    /* By a relative operand. */
    assert_int_equal(stops_at("mova a0.x, hr0.x\n(rpt5)nop\nstc.u32 c[8], r0.x, 2\nmov.u32u32 r1.x, c<a0.x + 9>\nend"),
                     3);
    assert_int_equal(stops_at("mova a0.x, hr0.x\n(rpt5)nop\nstc.u32 c[8], r0.x, 2\nmov.u32u32 r1.x, c<a0.x + 10>\nend"),
                     -1);
}

/* A result of a register that nothing has written has no value either; it matters where something comes of it. */
static void values_come_from_something(void **state)
{
    (void)state;
    inputs = 2; /* r0.xy */
    assert_int_equal(stops_at("stl.u32 l[r0.x], r0.y, 1\nend"), -1);
    assert_int_equal(stops_at("stl.u32 l[r0.x], r0.z, 1\nend"), 0);
    assert_int_equal(stops_at("stl.u32 l[r1.x], r0.y, 1\nend"), 0);
    assert_int_equal(stops_at("add.u r1.x, r0.x, r0.z\nend"), -1);
    assert_int_equal(stops_at("add.u r1.x, r0.x, r0.z\n(rpt5)nop\nstl.u32 l[r0.x], r1.x, 1\nend"), 2);
    assert_int_equal(stops_at("add.u r1.x, r0.x, r0.y\n(rpt5)nop\nstl.u32 l[r0.x], r1.x, 1\nend"), -1);
    /* A half of a register is not all of it; a repeat has its own value in each step, and so do moves side by side. */
    assert_int_equal(stops_at("mov.u16u16 hr2.x, 5\n(rpt5)nop\nstl.u32 l[r0.x], r1.x, 1\nend"), 2);
    assert_int_equal(stops_at("(rpt1)mov.u32u32 r1.x, (r)r0.y\n(rpt5)nop\nstl.u32 l[r0.x], r1.x, 1\nend"), -1);
    assert_int_equal(stops_at("(rpt1)mov.u32u32 r1.x, (r)r0.y\n(rpt5)nop\nstl.u32 l[r0.x], r1.y, 1\nend"), 2);
    assert_int_equal(stops_at("swz.u32u32 r1.x, r1.y, r0.y, r0.z\n(rpt5)nop\nstl.u32 l[r0.x], r1.x, 1\nend"), -1);
    assert_int_equal(stops_at("swz.u32u32 r1.x, r1.y, r0.y, r0.z\n(rpt5)nop\nstl.u32 l[r0.x], r1.y, 1\nend"), 2);
    /* A select takes one of its sources; a branch takes a predicate. */
    assert_int_equal(stops_at("sel.b32 r1.x, r2.x, r0.x, r0.y\n(rpt5)nop\nstl.u32 l[r0.x], r1.x, 1\nend"), -1);
    assert_int_equal(stops_at("sel.b32 r1.x, r0.y, r0.x, r2.x\n(rpt5)nop\nstl.u32 l[r0.x], r1.x, 1\nend"), 2);
    assert_int_equal(stops_at("br p0.y, #out\nnop\nout:\n(jp)end"), 0);
    assert_int_equal(stops_at("cmps.u.eq p0.y, r1.x, 0\n(rpt5)nop\nbr p0.y, #out\nnop\nout:\n(jp)end"), 2);
    assert_int_equal(stops_at("cmps.u.eq p0.y, r0.x, 0\n(rpt5)nop\nbr p0.y, #out\nnop\nout:\n(jp)end"), -1);
    assert_int_equal(stops_at("mov.u32u32 r1.x, c<a0.x + 4>\nend"), 0);
    /* Lanes that did not run when it was written. */
    assert_int_equal(stops_at("cmps.u.ne p0.x, r0.x, 0\n(rpt5)nop\nbr p0.x, #out\nmov.u32u32 r1.x, 3\n(rpt5)nop\n"
                              "stl.u32 l[r0.x], r1.x, 1\nout:\n(jp)end"),
                     -1);
    assert_int_equal(stops_at("cmps.u.eq p0.x, r0.x, 0\n(rpt5)nop\nbr p0.x, #out\nmov.u32u32 r1.x, 3\nout:\n"
                              "(jp)(rpt5)nop\nstl.u32 l[r0.x], r1.x, 1\nend"),
                     5);
    /* Through a shared register, and by a relative one. */
    assert_int_equal(stops_at("mov.u32u32 r48.x, r1.x\n(ss)mov.u32u32 r2.x, r48.x\n(rpt5)nop\n"
                              "stl.u32 l[r0.x], r2.x, 1\nend"),
                     3);
    assert_int_equal(stops_at("movs.u32u32 r48.x, r0.y, 5\n(ss)mov.u32u32 r2.x, r48.x\n(rpt5)nop\n"
                              "stl.u32 l[r0.x], r2.x, 1\nend"),
                     -1);
    /* r1.x of lane 0 has no value: what counts is the fiber that a0.x names. */
    for (unsigned fiber = 0; fiber < 2; fiber++) {
        char text[512];
        snprintf(text, sizeof(text),
                 "getfiberid.u32 r3.x\nmov.s16s16 hr9.x, %u\n(rpt5)nop\ncmps.u.eq p0.x, r3.x, 0\nmova a0.x, hr9.x\n"
                 "(rpt5)nop\nbr p0.x, #out\nmov.u32u32 r1.x, 3\nout:\n(jp)(rpt5)nop\n"
                 "movs.u32u32 r48.x, r1.x, a0.x\n(ss)mov.u32u32 r2.x, r48.x\n(rpt5)nop\nstl.u32 l[r0.x], r2.x, 1\nend",
                 fiber);
        assert_int_equal(stops_at(text), fiber ? -1 : 12);
    }
    assert_int_equal(stops_at("mov.s16s16 hr9.x, 8\n(rpt5)nop\nmova a0.x, hr9.x\n(rpt5)nop\n"
                              "mov.u32u32 r<a0.x + 8>, r0.y\n(rpt5)nop\nstl.u32 l[r0.x], r4.x, 1\nend"),
                     -1);
    inputs = 48 * 4;
}

static void outputs_are_there_at_the_end(void **state)
{
    (void)state;
    inputs = 2;
    output_count = 1;
    outputs[0] = (struct adreno_output){.component = 4}; /* r1.x */
    assert_int_equal(stops_at("mov.u32u32 r1.x, r0.x\nend"), -1);
    assert_int_equal(stops_at("mov.u32u32 r2.x, r0.x\nend"), 1);
    assert_int_equal(stops_at("rcp r1.x, r0.x\nend"), 1);
    assert_int_equal(stops_at("rcp r1.x, r0.x\n(ss)end"), -1);
    assert_int_equal(stops_at("dsx (f32)(x)r1.x, r0.x\n(ss)end"), 1);
    assert_int_equal(stops_at("dsx (f32)(x)r1.x, r0.x\n(sy)end"), -1);
    outputs[0].is_optional = true;
    assert_int_equal(stops_at("mov.u32u32 r2.x, r0.x\nend"), -1);
    output_count = 0;
    inputs = 48 * 4;
}

/* Host code stores what is still read: what is missing here would be lost. */
static void all_sources_of_textures_are_known(void **state)
{
    static const struct {
        const char *text;
        uint32_t reads;
    } rows[] = {
        {"sam.base0 (f32)(xyzw)r0.x, r4.x, s#0, t#0", 2},
        {"sam.3d.o.base0 (f32)(xyzw)r0.x, r4.x, r8.x, s#0, t#0", 3 + 3},
        {"saml.a.o.base0 (f32)(xyzw)r0.x, r4.x, r8.x, s#0, t#0", 3 + 3},
        {"samgq.base0 (f32)(xyzw)r0.x, r4.x, s#0, t#0", 4 + 4},
        {"samgq.3d.o.base0 (f32)(xyzw)r0.x, r4.x, r8.x, s#0, t#0", 4 + 6 + 3},
        {"samgq.s.base0.clp (f32)(x)r0.x, r4.x, r8.x, s#0, t#0", 4 + 4 + 1},
        {"samb.o.base0.clp (f32)(x)r0.x, r4.x, r8.x, s#0, t#0", 2 + 4},
        {"samgq.3d.a.s.base0 (f32)(x)r0.x, r4.x, s#0, t#0", 5 + 6},
        {"samgp2.a.base0 (f32)(xyzw)r0.x, r4.x, s#0, t#0", 4 + 4},
    };
    static struct adreno_wave wave;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct strict_facts facts = {0};
        struct adreno_isa_inst inst;
        uint64_t word;
        assert_int_equal(adreno_isa_assemble_line(rows[i].text, &word), 0);
        assert_int_equal(adreno_isa_decode(word, &inst), 0);
        adreno_sp_strict_facts(&wave, &inst, &facts);
        if (facts.read_count != rows[i].reads)
            fail_msg("%s reads %u registers instead of %u", rows[i].text, facts.read_count, rows[i].reads);
    }
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sources_of_textures_are_known),
        cmocka_unit_test(special_functions_are_waited_for),
        cmocka_unit_test(loads_are_waited_for),
        cmocka_unit_test(waits_cross_branches),
        cmocka_unit_test(sources_are_not_overwritten),
        cmocka_unit_test(alu_results_have_a_delay),
        cmocka_unit_test(special_registers_have_a_delay),
        cmocka_unit_test(written_constants_are_waited_for),
        cmocka_unit_test(values_come_from_something),
        cmocka_unit_test(outputs_are_there_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
