/* Compares layouts and addresses with Mesa's addrlib: judge_tiling EXPECTATION GB_ADDR_CONFIG. The expectation stores,
 * for each combination, hashes of the answers to the questions of tiling_sample.h, and four answers in the clear. The
 * table form of the address is compared with the other one on the way. Prints TAP, one case for each swizzle mode of
 * each kind. */
#include "amd/hw/tiling/tests/tiling_sample.h"
#include <stdlib.h>

static const char *const dim_names[] = {"1d", "2d", "3d"};

struct answers {
    uint64_t layouts, offsets;
    uint64_t shown[SAMPLE_SHOWN];
    bool has_offsets;
    uint64_t count;
    uint64_t table_errors;
};

struct tap {
    unsigned count, failed;
    /* The open case: combinations of the same kind, dimension and mode. */
    char name[64];
    unsigned combinations, bad;
    uint64_t addresses;
};

static void tap_close(struct tap *tap)
{
    if (!tap->name[0])
        return;
    tap->count++;
    tap->failed += tap->bad != 0;
    printf("%s %u - %s: %u combinations, %llu addresses\n", tap->bad ? "not ok" : "ok", tap->count, tap->name,
           tap->combinations, (unsigned long long)tap->addresses);
    tap->name[0] = 0;
}

static void tap_open(struct tap *tap, const char *name)
{
    if (strcmp(tap->name, name) == 0)
        return;
    tap_close(tap);
    snprintf(tap->name, sizeof(tap->name), "%s", name);
    tap->combinations = tap->bad = 0;
    tap->addresses = 0;
}

static void surface_offsets(const struct amd_surface *surface, const struct sample_combination *at,
                            struct sample_rng *rng, struct answers *out, uint64_t *first_out)
{
    static struct amd_tiling_table table;
    amd_tiling_table_init(&table, surface);
    for (unsigned i = 0; i < SAMPLE_COORDS; i++) {
        struct sample_coord c = sample_coordinate(rng, &surface->desc, at);
        uint64_t offset_B = amd_tiling_offset(surface, c.x, c.y, c.z, c.sample, c.level);
        out->table_errors += offset_B != amd_tiling_table_offset(&table, c.x, c.y, c.z, c.sample, c.level);
        out->offsets = sample_mix(out->offsets, offset_B * 8);
        if (i == 0)
            *first_out = offset_B * 8;
    }
}

static void meta_offsets(const struct amd_meta *meta, const struct amd_surface *data,
                         const struct sample_combination *at, struct sample_rng *rng, struct answers *out,
                         uint64_t *first_out)
{
    for (unsigned i = 0; i < SAMPLE_COORDS; i++) {
        struct sample_coord c = sample_coordinate(rng, &data->desc, at);
        unsigned bit;
        uint64_t offset = amd_meta_offset(meta, c.x, c.y, c.z, 0, 0, &bit) * 8;
        out->offsets = sample_mix(out->offsets, offset + bit);
        if (i == 0)
            *first_out = offset + bit;
    }
}

static bool answer_meta(const struct amd_tiling_config *config, const struct sample_combination *at,
                        struct amd_surface_desc *desc, struct sample_rng *rng, struct answers *out, uint64_t *first_out)
{
    struct amd_surface data;
    struct amd_meta meta;
    uint64_t words[SAMPLE_MAX_WORDS];
    bool aligned = at->kind != SAMPLE_DCC_UNALIGNED;
    if (!amd_surface_init(&data, config, desc) || !amd_meta_init(&meta, sample_meta_kind(at->kind), &data, aligned))
        return false;
    out->layouts = sample_hash_words(out->layouts, words, sample_meta_words(&meta, desc->levels, words));
    if (!sample_has_address(at))
        return true;
    sample_single_level(desc);
    if (!amd_surface_init(&data, config, desc) || !amd_meta_init(&meta, sample_meta_kind(at->kind), &data, aligned) ||
        !meta.has_equation)
        return false;
    meta_offsets(&meta, &data, at, rng, out, first_out);
    return true;
}

static bool answer_surface(const struct amd_tiling_config *config, const struct sample_combination *at,
                           const struct amd_surface_desc *desc, struct sample_rng *rng, struct answers *out,
                           uint64_t *first_out)
{
    struct amd_surface surface;
    uint64_t words[SAMPLE_MAX_WORDS];
    if (!amd_surface_init(&surface, config, desc))
        return false;
    out->layouts = sample_hash_words(out->layouts, words, sample_surface_words(&surface, words));
    surface_offsets(&surface, at, rng, out, first_out);
    return true;
}

static bool answer_query(const struct amd_tiling_config *config, const struct sample_combination *at,
                         struct answers *out)
{
    *out = (struct answers){.has_offsets = sample_has_address(at)};
    for (unsigned i = 0; i < SAMPLE_SURFACES; i++) {
        struct sample_rng rng = sample_start(config->gb_addr_config, at, i);
        struct amd_surface_desc desc = sample_surface(&rng, at);
        uint64_t first = 0;
        bool ok = at->kind == SAMPLE_SURFACE ? answer_surface(config, at, &desc, &rng, out, &first)
                                             : answer_meta(config, at, &desc, &rng, out, &first);
        if (!ok)
            return false;
        if (i % (SAMPLE_SURFACES / SAMPLE_SHOWN) == 0)
            out->shown[i / (SAMPLE_SURFACES / SAMPLE_SHOWN)] = first;
        out->count += out->has_offsets ? SAMPLE_COORDS : 0;
    }
    return true;
}

/* Says which of the four known answers is wrong, with everything that is needed to ask again. */
static void explain_answer(uint32_t gb_addr_config, const struct sample_combination *at, const struct answers *want,
                           const struct answers *got)
{
    printf("# %s %s %s, %u bytes, %u samples:%s%s%s\n", sample_kind_names[at->kind], dim_names[at->dim],
           amd_swizzle_info(at->swizzle)->name, at->element_B, at->samples,
           want->layouts != got->layouts ? " layout" : "", want->offsets != got->offsets ? " addresses" : "",
           got->table_errors ? " table form" : "");
    for (unsigned i = 0; i < SAMPLE_SHOWN && want->has_offsets; i++) {
        if (want->shown[i] == got->shown[i])
            continue;
        struct sample_rng rng = sample_start(gb_addr_config, at, i * (SAMPLE_SURFACES / SAMPLE_SHOWN));
        struct amd_surface_desc desc = sample_surface(&rng, at);
        if (at->kind != SAMPLE_SURFACE)
            sample_single_level(&desc);
        struct sample_coord c = sample_coordinate(&rng, &desc, at);
        printf("#   %ux%u, %u slices, %u levels, block %ux%u, pitch %u, xor 0x%x: x %u y %u z %u sample %u level %u is "
               "at bit "
               "0x%llx, not 0x%llx\n",
               desc.width, desc.height, desc.slices, desc.levels, desc.block_w, desc.block_h, desc.pitch,
               desc.pipe_bank_xor, c.x, c.y, c.z, c.sample, c.level, (unsigned long long)want->shown[i],
               (unsigned long long)got->shown[i]);
    }
}

static bool same(const struct answers *want, const struct answers *got)
{
    if (want->layouts != got->layouts || got->table_errors || want->has_offsets != got->has_offsets)
        return false;
    return !want->has_offsets ||
           (want->offsets == got->offsets && memcmp(want->shown, got->shown, sizeof(want->shown)) == 0);
}

static int find_name(const char *name, const char *const *names, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0)
            return (int)i;
    }
    return -1;
}

static bool parse_line(const char *line, struct sample_combination *at, struct answers *want)
{
    char kind[24], dim[8], mode[16], offsets[24];
    unsigned long long layouts, shown[SAMPLE_SHOWN];
    *want = (struct answers){0};
    int fields = sscanf(line, "%23s %7s %15s %u %u %llx %23s %llx %llx %llx %llx", kind, dim, mode, &at->element_B,
                        &at->samples, &layouts, offsets, &shown[0], &shown[1], &shown[2], &shown[3]);
    want->has_offsets = fields == 7 + SAMPLE_SHOWN;
    if (!want->has_offsets && (fields != 7 || strcmp(offsets, "-")))
        return false;
    int kind_index = find_name(kind, sample_kind_names, SAMPLE_KIND_COUNT);
    int dim_index = find_name(dim, dim_names, 3);
    unsigned swizzle = 0;
    while (swizzle < AMD_SW_COUNT && !(amd_swizzle_info(swizzle) && !strcmp(amd_swizzle_info(swizzle)->name, mode)))
        swizzle++;
    if (kind_index < 0 || dim_index < 0 || swizzle == AMD_SW_COUNT)
        return false;
    at->kind = (enum sample_kind)kind_index;
    at->dim = (enum amd_dim)dim_index;
    at->swizzle = (enum amd_swizzle)swizzle;
    want->layouts = layouts;
    if (want->has_offsets) {
        want->offsets = strtoull(offsets, NULL, 16);
        for (unsigned i = 0; i < SAMPLE_SHOWN; i++)
            want->shown[i] = shown[i];
    }
    return true;
}

/* The rules for pipe/bank bits: for all modes, surfaces 0 to 15 of a set; for those that have such bits, slices 0 to 39
 * of an array. */
static uint64_t hash_xor_rules(const struct amd_tiling_config *config)
{
    uint64_t hash = config->gb_addr_config;
    for (unsigned swizzle = 0; swizzle < AMD_SW_COUNT; swizzle++) {
        if (!amd_swizzle_info(swizzle))
            continue;
        for (unsigned i = 0; i < 16; i++)
            hash = sample_mix(hash, amd_tiling_pipe_bank_xor(config, (enum amd_swizzle)swizzle, i));
        bool has_bits = amd_swizzle_info(swizzle)->xor_kind == AMD_SWIZZLE_XOR_FULL;
        for (unsigned element_B = 1; has_bits && element_B <= 16; element_B *= 2) {
            struct amd_surface_desc desc = {.swizzle = (enum amd_swizzle)swizzle,
                                            .dim = AMD_DIM_2D,
                                            .width = 64,
                                            .height = 64,
                                            .slices = 40,
                                            .element_B = element_B,
                                            .samples = 1,
                                            .levels = 1,
                                            .pipe_bank_xor = 0x35};
            struct amd_surface surface;
            for (unsigned slice = 0; amd_surface_init(&surface, config, &desc) && slice < 40; slice++)
                hash = sample_mix(hash, amd_tiling_slice_xor(&surface, slice));
        }
    }
    return hash;
}

static uint64_t hash_fmask(const struct amd_tiling_config *config)
{
    uint64_t hash = config->gb_addr_config;
    for (unsigned mode = 0; mode < 2; mode++) {
        for (unsigned samples = 1; samples <= 16; samples *= 2) {
            for (unsigned fragments = 1; fragments <= samples && fragments <= 8; fragments *= 2) {
                for (unsigned n = 0; n < 8; n++) {
                    struct amd_surface_desc desc = {.swizzle = mode ? AMD_SW_VAR_Z_X : AMD_SW_64KB_Z_X,
                                                    .dim = AMD_DIM_2D,
                                                    .width = 1 + n * n * 77,
                                                    .height = 1 + n * 333,
                                                    .slices = 1 + n,
                                                    .element_B = amd_fmask_element_B(samples, fragments),
                                                    .samples = 1,
                                                    .levels = 1};
                    struct amd_surface surface;
                    if (!amd_surface_init(&surface, config, &desc))
                        return 0;
                    uint64_t words[] = {desc.element_B,  surface.pitch,  surface.aligned_height,
                                        surface.slice_B, surface.size_B, surface.align_B};
                    hash = sample_hash_words(hash, words, 6);
                }
            }
        }
    }
    return hash;
}

/* How many combinations we hold for legal: each must be in the expectation. */
static unsigned legal_combinations(const struct amd_tiling_config *config)
{
    unsigned count = 0;
    struct sample_combination at = sample_first_combination();
    do {
        struct amd_surface_desc desc = {.swizzle = at.swizzle,
                                        .dim = at.dim,
                                        .width = 33,
                                        .height = at.dim == AMD_DIM_1D ? 1 : 17,
                                        .slices = 2,
                                        .element_B = at.element_B,
                                        .samples = at.samples,
                                        .levels = 1};
        struct amd_surface surface;
        struct amd_meta meta;
        bool legal = amd_surface_init(&surface, config, &desc);
        if (legal && at.kind != SAMPLE_SURFACE)
            legal = amd_meta_init(&meta, sample_meta_kind(at.kind), &surface, at.kind != SAMPLE_DCC_UNALIGNED);
        count += legal;
    } while (sample_next_combination(&at));
    return count;
}

static void check_line(struct tap *tap, const struct amd_tiling_config *config, const char *line)
{
    struct sample_combination at;
    struct answers want, got;
    char name[64];
    if (!parse_line(line, &at, &want)) {
        tap_open(tap, "expectation");
        tap->bad++;
        printf("# cannot read: %s", line);
        return;
    }
    snprintf(name, sizeof(name), "%s %s %s", sample_kind_names[at.kind], dim_names[at.dim],
             amd_swizzle_info(at.swizzle)->name);
    tap_open(tap, name);
    tap->combinations++;
    if (!answer_query(config, &at, &got)) {
        tap->bad++;
        printf("# %s, %u bytes, %u samples: refused\n", name, at.element_B, at.samples);
        return;
    }
    tap->addresses += got.count;
    if (!same(&want, &got)) {
        tap->bad++;
        explain_answer(config->gb_addr_config, &at, &want, &got);
    }
}

static void check_case(struct tap *tap, const char *name, uint64_t want, uint64_t got)
{
    tap_open(tap, name);
    tap->bad = want != got;
    if (tap->bad)
        printf("# expected %llx, got %llx\n", (unsigned long long)want, (unsigned long long)got);
    tap_close(tap);
}

static int judge_file(FILE *file, const struct amd_tiling_config *config)
{
    struct tap tap = {0};
    char line[256];
    unsigned lines = 0;
    bool ours = false;
    while (fgets(line, sizeof(line), file)) {
        unsigned gb_addr_config;
        unsigned long long xor_hash, fmask_hash;
        if (line[0] == '#')
            continue;
        if (sscanf(line, "config %x xor %llx fmask %llx", &gb_addr_config, &xor_hash, &fmask_hash) == 3) {
            ours = gb_addr_config == config->gb_addr_config;
            if (ours) {
                check_case(&tap, "pipe and bank bits of surfaces and slices", xor_hash, hash_xor_rules(config));
                check_case(&tap, "FMASK layouts", fmask_hash, hash_fmask(config));
            }
        } else if (ours) {
            check_line(&tap, config, line);
            lines++;
        }
    }
    tap_close(&tap);
    check_case(&tap, "the expectation has every legal combination", lines, legal_combinations(config));
    printf("1..%u\n", tap.count);
    return tap.failed || !lines;
}

int main(int argc, char **argv)
{
    struct amd_tiling_config config;
    if (argc != 3 || !amd_tiling_config_init(&config, (uint32_t)strtoul(argv[2], NULL, 0))) {
        fprintf(stderr, "usage: judge_tiling EXPECTATION GB_ADDR_CONFIG\n");
        return 2;
    }
    FILE *file = fopen(argv[1], "r");
    if (!file) {
        perror(argv[1]);
        return 2;
    }
    int status = judge_file(file, &config);
    fclose(file);
    return status;
}
