/* Texels a second of one core: samples returned, for the sampler states that matter. */
#include "amd/model/texture/tests/ta_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "amd/isa/asm.h"
#include "amd/model/sq/sq_mode.h"

/* The time of this thread: others may have the machine, too. */
static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const char *wanted; /* a part of a name, or NULL */

/* The instruction again and again, for a quarter of a second, the best of three. */
static void measure_rate(struct rig *rig, const char *what, const char *text)
{
    struct isa_asm_result result;
    struct isa_inst inst;
    if (wanted && !strstr(what, wanted))
        return;
    if (!amd_isa_assemble(ISA_GFX10_3, rig->wave->lanes, text, strlen(text), &result) ||
        amd_isa_decode(ISA_GFX10_3, result.words, result.count_dw, &inst) <= 0)
        exit(1);
    struct sq_builder builder = amd_sq_builder(rig->code, rig->wave->lanes, 0);
    if (!amd_sq_translate(&builder, &inst))
        exit(1);
    double best = 0;
    for (unsigned round = 0; round < 3; round++) {
        uint64_t count = 0;
        double start = now_s(), end;
        do {
            for (unsigned i = 0; i < 1000; i++)
                amd_sq_uops(&builder)[0].run(rig->wave, amd_sq_uops(&builder));
            count += 1000;
        } while ((end = now_s()) - start < 0.25);
        double rate = (double)(count * rig->wave->lanes) / (end - start) * 1e-6;
        best = rate > best ? rate : best;
    }
    if (rig->wave->state != SQ_RUNNING)
        exit(1);
    printf("%-48s %8.1f Mtexel/s\n", what, best);
    free(builder.exec.uops);
    amd_isa_asm_finish(&result);
}

int main(int argc, char **argv)
{
    wanted = argc > 1 ? argv[1] : NULL;
    struct rig rig;
    struct picture p, wide;
    rig_begin(&rig);
    picture_begin(&rig, &p, &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_2D, 27, 512, 512, 1, 10});
    picture_begin(&rig, &wide,
                  &(struct picture_desc){71, FORMAT_R16G16B16A16_SFLOAT, AMD_IMG_TYPE_2D, 27, 512, 512, 1, 10});
    rig_lanes(&rig, 64, UINT64_MAX);
    for (unsigned i = 0; i < 64; i++) { /* an 8x8 tile of pixels, quad by quad */
        unsigned x = (i & 1) | (i >> 1 & 2) | (i >> 2 & 4), y = (i >> 1 & 1) | (i >> 2 & 2) | (i >> 3 & 4);
        rig_put(&rig, 0, i, ((float)x * 1.3f + 100.2f) / 512);
        rig_put(&rig, 1, i, ((float)y * 1.3f + 70.7f) / 512);
        rig_row(&rig, 4)[i] = x + 100;
        rig_row(&rig, 5)[i] = y + 70;
    }
    struct amd_desc_SAMPLER linear = sampler_linear(), trilinear = sampler_linear(), nearest = sampler_nearest(),
                            border = sampler_linear();
    trilinear.MIP_FILTER = AMD_TEX_MIP_FILTER_LINEAR;
    border.CLAMP_X = AMD_TEX_CLAMP_CLAMP_BORDER;
    const char *sample = "image_sample v[10:13], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D";
    const char *sample_lz = "image_sample_lz v[10:13], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D";
    picture_bind(&rig, &p);
    sampler_bind(&rig, &linear);
    measure_rate(&rig, "RGBA8, bilinear, level zero", sample_lz);
    measure_rate(&rig, "RGBA8, bilinear, level from derivatives", sample);
    sampler_bind(&rig, &trilinear);
    measure_rate(&rig, "RGBA8, trilinear", sample);
    sampler_bind(&rig, &nearest);
    measure_rate(&rig, "RGBA8, nearest", sample);
    sampler_bind(&rig, &border);
    measure_rate(&rig, "RGBA8, bilinear, border", sample);
    measure_rate(&rig, "RGBA8, load", "image_load v[10:13], v[4:5], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
    measure_rate(&rig, "RGBA8, store", "image_store v[10:13], v[4:5], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
    picture_bind(&rig, &wide);
    sampler_bind(&rig, &linear);
    measure_rate(&rig, "RGBA16F, bilinear", sample);
    picture_end(&p);
    picture_end(&wide);
    rig_end(&rig);
    return 0;
}
