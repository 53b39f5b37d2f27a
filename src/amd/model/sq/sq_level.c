/* Levels of host instructions: which there are, and which one the kernels of this process are of. What a CPU offers is
 * known when the model is loaded, not when it is built. Levels and their compiler flags are in meson.build. */
#include <stdlib.h>
#include <string.h>

#include "amd/model/sq/sq_alu.h"
#include "util/log.h"

static bool always(void)
{
    return true;
}

#if defined(__x86_64__)
#include <cpuid.h>

extern const sq_run_fn amd_sq_alu_table_avx2[ISA_OP_COUNT], amd_sq_alu_table_sse2[ISA_OP_COUNT];
extern const jit_call amd_sq_jit_call_table_avx2[ISA_OP_COUNT][2];

/* x86-64-v3 by its parts: compilers before GCC 12 do not know the level's name. */
static bool offers_avx2(void)
{
    unsigned a, b, c = 0, d; /* Clang 14 does not know F16C by its name */
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

const struct sq_alu_level amd_sq_alu_levels[] = {
    {"avx2", amd_sq_alu_table_avx2, offers_avx2, amd_sq_jit_call_table_avx2},
    {"sse2", amd_sq_alu_table_sse2, always, NULL},
    {0}};
const sq_run_fn *amd_sq_alu_kernels = amd_sq_alu_table_sse2;
#elif defined(__aarch64__)
extern const sq_run_fn amd_sq_alu_table_neon[ISA_OP_COUNT];
extern const jit_call amd_sq_jit_call_table_neon[ISA_OP_COUNT][2];

const struct sq_alu_level amd_sq_alu_levels[] = {{"neon", amd_sq_alu_table_neon, always, amd_sq_jit_call_table_neon},
                                                 {0}};
const sq_run_fn *amd_sq_alu_kernels = amd_sq_alu_table_neon;
#else
extern const sq_run_fn amd_sq_alu_table_plain[ISA_OP_COUNT];

const struct sq_alu_level amd_sq_alu_levels[] = {{"plain", amd_sq_alu_table_plain, always, NULL}, {0}};
const sq_run_fn *amd_sq_alu_kernels = amd_sq_alu_table_plain;
#endif

const jit_call (*amd_sq_jit_calls)[2];

__attribute__((constructor)) static void choose(void)
{
    const char *wanted = getenv("TUFF_HOST_LEVEL");
    for (const struct sq_alu_level *level = amd_sq_alu_levels; level->name; level++) {
        if (level->is_offered() && (!wanted || strcmp(wanted, level->name) == 0)) {
            amd_sq_alu_kernels = level->kernels;
            amd_sq_jit_calls = level->calls;
            return;
        }
    }
    if (wanted)
        LOG_WARN("amd/model", "TUFF_HOST_LEVEL=%s is no level of this CPU", wanted);
}
