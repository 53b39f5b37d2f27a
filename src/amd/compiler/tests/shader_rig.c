/* See shader_rig.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "amd/compiler/tests/shader_rig.h"
#include "model/workers.h"
#include "util/bits.h"

#define BASE_VA 0x100000000ull
#define ADDRESS32_HI 1u
#define SIZE_B ((uint64_t)512 << 20)
#define SCRATCH_WAVES 64
#define DESCRIPTOR_B 48

static void die_because(const char *why)
{
    fprintf(stderr, "the rig has no %s\n", why);
    exit(1);
}

void shader_rig_begin(struct shader_rig *rig)
{
    memset(rig, 0, sizeof(*rig));
    rig->verbose = getenv("TUFF_RIG_VERBOSE") != NULL;
    rig->fd = memfd_create("shader_rig", 0);
    if (rig->fd < 0 || ftruncate(rig->fd, SIZE_B) != 0 ||
        gpu_space_init(&rig->space, &(struct gpu_extent){BASE_VA, SIZE_B}, 1) != 0 ||
        gpu_space_map_file(&rig->space, BASE_VA, SIZE_B, rig->fd, 0, GPU_PERM_RWX) != 0)
        die_because("memory");
    rig->workers = workers_create(1);
    rig->spi = rig->workers ? amd_spi_create(rig->workers) : NULL;
    if (!rig->spi)
        die_because("workers");
}

void shader_rig_end(struct shader_rig *rig)
{
    amd_spi_destroy(rig->spi);
    workers_destroy(rig->workers);
    gpu_space_finish(&rig->space);
    close(rig->fd);
}

void shader_rig_reset(struct shader_rig *rig)
{
    rig->used_B = 0;
}

void *shader_rig_alloc(struct shader_rig *rig, size_t size_B, uint64_t *va_out)
{
    *va_out = BASE_VA + rig->used_B;
    rig->used_B = align_u64(rig->used_B + size_B, 4096);
    if (rig->used_B > SIZE_B)
        die_because("more memory");
    return gpu_space_pointer(&rig->space, *va_out, 1, GPU_PERM_READ | GPU_PERM_WRITE);
}

static void buffer_descriptor(uint32_t words[4], uint64_t va, uint32_t size_B)
{
    words[0] = (uint32_t)va;
    words[1] = (uint32_t)(va >> 32);
    words[2] = size_B;
    words[3] =
        4u | 5u << 3 | 6u << 6 | 7u << 9 | 22u << 12 | 1u << 24 | 3u << 28; /* x, y, z, w; 32 bits; bounds in bytes */
}

/* Swizzled: dwords of the lanes side by side. */
static void scratch_descriptor(uint32_t words[4], uint64_t va, unsigned wave_size)
{
    words[0] = (uint32_t)va;
    words[1] = (uint32_t)(va >> 32) | 1u << 31;
    words[2] = UINT32_MAX;
    words[3] = (wave_size == 32 ? 2u : 3u) << 21 | 1u << 23 | 2u << 28;
}

static bool compile_shader(struct shader_rig *rig, struct ir_shader *shader, const struct rig_shape *shape,
                           struct amd_binary *binary, char error_out[512])
{
    struct amd_binding_layout bindings[RIG_MAX_BINDINGS];
    char error[256];
    for (unsigned i = 0; i < RIG_MAX_BINDINGS; i++)
        bindings[i] =
            (struct amd_binding_layout){.offset_B = i * DESCRIPTOR_B, .stride_B = DESCRIPTOR_B, .sampler_offset_B = 32};
    struct amd_set_layout set = {bindings, RIG_MAX_BINDINGS};
    struct amd_compile_options options = {
        .gfx = ISA_GFX_10_3,
        .wave_size = (uint8_t)shape->wave_size,
        .address32_hi = ADDRESS32_HI,
        .sets = &set,
        .num_sets = 1,
        .no_optimisation = shape->no_optimisation,
        .keep_text = rig->verbose,
    };
    if (!amd_compile(shader, &options, binary, error)) {
        snprintf(error_out, 512, "does not compile: %s", error);
        return false;
    }
    if (rig->verbose)
        printf("%s\n%s\n", binary->ir_text ? binary->ir_text : "", binary->disassembly ? binary->disassembly : "");
    return true;
}

/* Functions in memory, with a table of their addresses. */
struct loaded {
    uint64_t table_va;
    uint32_t table_B;
    unsigned num_vgprs; /* that the one with the most has */
};

static bool load_functions(struct shader_rig *rig, const struct rig_shape *shape, struct loaded *out,
                           char error_out[512])
{
    out->table_B = (shape->num_functions + 1) * 8;
    uint64_t *table = shader_rig_alloc(rig, out->table_B, &out->table_va);
    memset(table, 0, out->table_B);
    for (uint32_t i = 0; i < shape->num_functions; i++) {
        struct amd_binary binary;
        if (!compile_shader(rig, shape->functions[i], shape, &binary, error_out))
            return false;
        memcpy(shader_rig_alloc(rig, binary.size_B + 256, &table[i]), binary.words, binary.size_B);
        out->num_vgprs = MAX2(out->num_vgprs, binary.config.num_vgprs);
        amd_binary_finish(&binary);
    }
    if (shape->function_out)
        *shape->function_out = table[0];
    for (uint32_t i = 0; shape->functions_out && i < shape->num_functions; i++)
        *shape->functions_out[i] = table[i];
    return true;
}

/* A launch has as many VGPRs as the function with the most. */
static uint32_t rsrc1_for(const struct amd_shader_config *config, unsigned num_vgprs)
{
    unsigned granule = config->wave_size == 32 ? 8 : 4;
    uint32_t wanted = (uint32_t)div_round_up(MAX2(num_vgprs, config->num_vgprs), granule) - 1;
    return (config->rsrc1 & ~63u) | wanted;
}

static void put_user(struct spi_compute_state *state, struct amd_sgpr_place place, const uint32_t *words)
{
    for (unsigned i = 0; i < place.count; i++)
        state->user_data[place.first + i] = words[i];
}

static void fill_user_data(struct shader_rig *rig, struct spi_compute_state *state,
                           const struct amd_shader_config *config, const struct rig_shape *shape, uint64_t set_va,
                           uint64_t rings_va)
{
    uint64_t push_va;
    uint32_t *push = shader_rig_alloc(rig, 4096, &push_va);
    memset(push, 0, 4096);
    if (shape->push)
        memcpy(push, shape->push, shape->push_size_B);
    put_user(state, config->user[AMD_USER_rings], (uint32_t[]){(uint32_t)rings_va});
    put_user(state, config->user[AMD_USER_push], (uint32_t[]){(uint32_t)push_va});
    put_user(state, config->user[AMD_USER_push_inline], push + config->inline_push_first);
    put_user(state, config->user[AMD_USER_num_workgroups], state->dim);
    put_user(state, config->user[AMD_USER_workgroup_base], (uint32_t[]){0, 0, 0});
    put_user(state, config->sets[0], (uint32_t[]){(uint32_t)set_va});
    uint64_t table_va;
    uint32_t *table = shader_rig_alloc(rig, 4, &table_va);
    table[0] = (uint32_t)set_va;
    put_user(state, config->user[AMD_USER_set_table], (uint32_t[]){(uint32_t)table_va});
    put_user(state, config->user[AMD_USER_trace_tables], (const uint32_t *)&shape->trace_tables);
    put_user(state, config->user[AMD_USER_trace_size], (const uint32_t *)&shape->trace_size);
    put_user(state, config->user[AMD_USER_traversal], (const uint32_t *)&shape->traversal);
}

bool shader_rig_run(struct shader_rig *rig, struct ir_shader *shader, const struct rig_shape *shape,
                    char error_out[512])
{
    struct amd_binary binary;
    struct loaded loaded = {0};
    uint64_t mark = rig->used_B;
    if (!load_functions(rig, shape, &loaded, error_out) || !compile_shader(rig, shader, shape, &binary, error_out))
        return false;
    uint64_t code_va, set_va, rings_va, va[RIG_MAX_BINDINGS], scratch_va;
    memcpy(shader_rig_alloc(rig, binary.size_B + 256, &code_va), binary.words, binary.size_B);
    uint32_t *set = shader_rig_alloc(rig, RIG_MAX_BINDINGS * DESCRIPTOR_B, &set_va),
             *rings = shader_rig_alloc(rig, 256, &rings_va);
    void *mapped[RIG_MAX_BINDINGS];
    for (unsigned i = 0; i < RIG_MAX_BINDINGS; i++) {
        if (shape->descriptors[i]) {
            memcpy(set + i * DESCRIPTOR_B / 4, shape->descriptors[i], DESCRIPTOR_B);
        } else if (i < shape->num_buffers) {
            mapped[i] = shader_rig_alloc(rig, shape->buffers[i].size_B, &va[i]);
            memcpy(mapped[i], shape->buffers[i].data, shape->buffers[i].size_B);
            buffer_descriptor(set + i * DESCRIPTOR_B / 4, va[i], shape->buffers[i].size_B);
        }
    }
    if (shape->num_functions)
        buffer_descriptor(set + RIG_FUNCTIONS * DESCRIPTOR_B / 4, loaded.table_va, loaded.table_B);
    const struct amd_shader_config *config = &binary.config;
    uint64_t lane_scratch_B = (uint64_t)config->scratch_size_B + shape->stack_B;
    uint32_t wave_scratch_B = (uint32_t)align_u64(lane_scratch_B * config->wave_size, 1024);
    shader_rig_alloc(rig, (size_t)MAX2(wave_scratch_B, 4096u) * SCRATCH_WAVES, &scratch_va);
    scratch_descriptor(rings + 4 * AMD_RING_SCRATCH_32, scratch_va, 32);
    scratch_descriptor(rings + 4 * AMD_RING_SCRATCH_64, scratch_va, 64);

    struct spi_compute_state state = {
        .program_va = code_va,
        .rsrc1 = rsrc1_for(config, loaded.num_vgprs),
        .rsrc2 = config->rsrc2,
        .rsrc3 = config->rsrc3,
        .num_thread = {config->workgroup_size[0], config->workgroup_size[1], config->workgroup_size[2]},
        .dim = {MAX2(shape->groups[0], 1u), MAX2(shape->groups[1], 1u), MAX2(shape->groups[2], 1u)},
        .tmpring_size = wave_scratch_B / 1024 << 12 | SCRATCH_WAVES,
        .initiator = 1 | 1 << 2 | (config->wave_size == 32 ? 1u << 15 : 0),
        .ta = {.gb_addr_config = 0x444},
    };
    fill_user_data(rig, &state, config, shape, set_va, rings_va);
    _Atomic bool killed = false;
    struct sq_fault fault = {0};
    amd_spi_invalidate_code(rig->spi);
    bool ok = amd_spi_run_compute(rig->spi, &rig->space, &state, &killed, &fault);
    if (!ok)
        snprintf(error_out, 512, "fault %d at byte 0x%llx of the code, address 0x%llx: %s", fault.kind,
                 (unsigned long long)(fault.pc - code_va), (unsigned long long)fault.va, fault.why ? fault.why : "");
    for (unsigned i = 0; ok && i < shape->num_buffers; i++) {
        if (!shape->descriptors[i])
            memcpy(shape->buffers[i].data, mapped[i], shape->buffers[i].size_B);
    }
    rig->used_B = mark;
    amd_binary_finish(&binary);
    return ok;
}
