/* Subgroup operations. The size of a subgroup and which invocations share one are the driver's; the results say both,
 * and the CPU follows them. */
#include <string.h>

#include "vt/vt.h"

#include "shaders/subgroup.h"
#include "shaders/subgroup_clustered.h"

#define COUNT 512

struct op {
    int op;
    VkSubgroupFeatureFlags needs;
};

/* The expected result of invocation `lane` in a subgroup of `size` values. */
static uint32_t reference(int op, const uint32_t *x, uint32_t lane, uint32_t size)
{
    uint32_t r = op == 1 || op == 3 || op == 31 ? UINT32_MAX : op == 6 ? 1 : 0, quad = lane & ~3u;
    for (uint32_t i = 0; i < size; i++) {
        switch (op) {
        case 0: case 30: r += x[i]; break;
        case 1: case 31: r = x[i] < r ? x[i] : r; break;
        case 2: r = x[i] > r ? x[i] : r; break;
        case 3: r &= x[i]; break;
        case 4: r |= x[i]; break;
        case 5: r ^= x[i]; break;
        case 6: r *= x[i] | 1; break;
        case 7: case 32: r += i <= lane ? x[i] : 0; break;
        case 8: case 33: r += i < lane ? x[i] : 0; break;
        case 9: r = i <= lane && x[i] > r ? x[i] : r; break;
        case 10: r ^= i < lane ? x[i] : 0; break;
        case 16: r += i / 4 == lane / 4 ? x[i] : 0; break;
        case 17: r = i / 8 == lane / 8 && x[i] > r ? x[i] : r; break;
        case 22: r |= (x[i] & 63) == 5; break;
        case 25: r += x[i] & 1; break;
        case 34: r = r * 3 + x[i]; break;
        case 26: r += i < lane ? x[i] >> 1 & 1 : 0; break;
        }
    }
    switch (op) {
    case 11: return x[3];
    case 12: return x[0];
    case 13: return x[(lane * 5 + 1) % size];
    case 35: return x[((lane ^ 1) * 5 + 1) % size];
    case 14: return x[lane ^ 1];
    case 15: return x[lane];
    case 18: return x[quad + 2];
    case 19: return x[lane ^ 1];
    case 20: return x[lane ^ 2];
    case 21: return x[lane ^ 3];
    case 23:
        r = 1;
        for (uint32_t i = 0; i < size; i++)
            r &= !(x[i] & 1);
        return r;
    case 24:
        r = 1;
        for (uint32_t i = 0; i < size; i++)
            r &= x[i] == x[0];
        return r;
    case 27:
        for (uint32_t i = 0; i < size; i++) {
            if (x[i] & 4)
                return i;
        }
        return UINT32_MAX;
    case 28: return x[lane] >> 3 & 1;
    case 29: return lane == 0;
    default: return r;
    }
}

static void subgroup_case(struct vt *vt, const void *argument)
{
    const struct op *test = argument;
    if ((vt->subgroup.supportedOperations & test->needs) != test->needs || !(vt->subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT))
        vt_skip(vt, "the device lacks this subgroup operation");
    uint32_t a[COUNT];
    uint64_t seed = 23;
    for (unsigned i = 0; i < COUNT; i++)
        a[i] = vt_random(&seed) & 0xffff;
    struct vt_buffer ba = vt_buffer(vt, sizeof(a), a), br = vt_buffer(vt, COUNT * 16, NULL);
    const VkSpecializationMapEntry entry = {0, 0, 4};
    VkSpecializationInfo specialization = {1, &entry, 4, &test->op};
    bool clustered = test->needs & VK_SUBGROUP_FEATURE_CLUSTERED_BIT;
    struct vt_compute compute = vt_compute(vt, clustered ? VT_SPIRV(subgroup_clustered) : VT_SPIRV(subgroup), 2, &specialization);
    VkDescriptorSet set = vt_storage_set(vt, compute.set_layout, (const struct vt_buffer *[]){&ba, &br}, 2);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.layout, 0, 1, &set, 0, NULL);
    vkCmdDispatch(commands, COUNT / 128, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);

    const uint32_t(*got)[4] = br.map;
    for (unsigned i = 0; i < COUNT; i++) {
        uint32_t lane = got[i][1], size = got[i][2], group = got[i][3], x[128] = {0}, members = 0;
        if (size < 1 || size > 128 || lane >= size)
            vt_fail(vt, "invocation %u is number %u of a subgroup of %u", i, lane, size);
        /* the members of this subgroup, wherever they are in the workgroup */
        for (unsigned n = i & ~127u; n < (i & ~127u) + 128; n++) {
            if (got[n][3] == group) {
                x[got[n][1]] = a[n];
                members++;
            }
        }
        uint32_t expected = reference(test->op, x, lane, members);
        if (got[i][0] != expected)
            vt_fail(vt, "invocation %u (number %u of %u): 0x%x, expected 0x%x", i, lane, size, got[i][0], expected);
    }
}

#define OP(name, number, needs) {name, subgroup_case, &(const struct op){number, VK_SUBGROUP_FEATURE_##needs##_BIT}}
const struct vt_case vt_subgroup_cases[] = {
    OP("add", 0, ARITHMETIC), OP("min", 1, ARITHMETIC), OP("max", 2, ARITHMETIC), OP("and", 3, ARITHMETIC), OP("or", 4, ARITHMETIC),
    OP("xor", 5, ARITHMETIC), OP("mul", 6, ARITHMETIC), OP("inclusive_add", 7, ARITHMETIC), OP("exclusive_add", 8, ARITHMETIC),
    OP("inclusive_max", 9, ARITHMETIC), OP("exclusive_xor", 10, ARITHMETIC), OP("broadcast", 11, BALLOT), OP("broadcast_first", 12, BALLOT),
    OP("shuffle", 13, SHUFFLE), OP("shuffle_xor", 14, SHUFFLE), OP("shuffle_up", 15, SHUFFLE_RELATIVE), OP("clustered_add", 16, CLUSTERED),
    OP("clustered_max", 17, CLUSTERED), OP("quad_broadcast", 18, QUAD), OP("quad_swap_horizontal", 19, QUAD), OP("quad_swap_vertical", 20, QUAD),
    OP("quad_swap_diagonal", 21, QUAD), OP("any", 22, VOTE), OP("all", 23, VOTE), OP("all_equal", 24, VOTE), OP("ballot_count", 25, BALLOT),
    OP("ballot_exclusive_count", 26, BALLOT), OP("ballot_find_lsb", 27, BALLOT), OP("inverse_ballot", 28, BALLOT), OP("elect", 29, BASIC),
    OP("add_float", 30, ARITHMETIC), OP("min_float", 31, ARITHMETIC), OP("inclusive_add_float", 32, ARITHMETIC), OP("exclusive_add_float", 33, ARITHMETIC),
    OP("shuffle_same", 34, SHUFFLE), OP("shuffle_twice", 35, SHUFFLE),
};
const size_t vt_subgroup_count = COUNT_OF(vt_subgroup_cases);
