/* The driver on each chip: the registers that it wants, the parts of GMEM, the features. The numbers were looked up
 * a second time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/driver/device.h"
#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_hlsq.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_tpl1.h"
#include "adreno/hw/regs_uche.h"
#include "adreno/hw/regs_vpc.h"
#include "util/bits.h"

struct expected {
    const char *name;
    uint32_t ccu_sysmem, ccu_gmem, gmem_for_tiles_B;
    bool has_storage_16bit, has_cached_memory;
    struct {
        uint32_t reg, value;
    } regs[9];
};

static const struct expected table[] = {
    {"adreno-635",
     0x10000000,
     0x3c400000,
     0x78000,
     true,
     true,
     {{ADRENO_REG_RB_DBG_ECO_CNTL, 0x04100000},
      {ADRENO_REG_SP_DBG_ECO_CNTL, 6},
      {ADRENO_REG_TPL1_DBG_ECO_CNTL, 0x05008000},
      {ADRENO_REG_VPC_DBG_ECO_CNTL, 0x02000000},
      {ADRENO_REG_GRAS_DBG_ECO_CNTL, 0},
      {ADRENO_REG_HLSQ_DBG_ECO_CNTL, 0},
      {ADRENO_REG_SP_CHICKEN_BITS, 0x1400},
      {ADRENO_REG_UCHE_CLIENT_PF, 0x84},
      {ADRENO_REG_RB_RBP_CNTL, 0}}},
    {"adreno-618",
     0x08000000,
     0x3e400000,
     0x7c000,
     false,
     true,
     {{ADRENO_REG_RB_DBG_ECO_CNTL, 0x04100000},
      {ADRENO_REG_SP_DBG_ECO_CNTL, 0},
      {ADRENO_REG_TPL1_DBG_ECO_CNTL, 0x00108000},
      {ADRENO_REG_VPC_DBG_ECO_CNTL, 0},
      {ADRENO_REG_GRAS_DBG_ECO_CNTL, 0x880},
      {ADRENO_REG_HLSQ_DBG_ECO_CNTL, 0x00080000},
      {ADRENO_REG_SP_CHICKEN_BITS, 0x430},
      {ADRENO_REG_UCHE_CLIENT_PF, 4},
      {ADRENO_REG_RB_RBP_CNTL, 1}}},
};

/* The last value that a stream gives a register; false: none. */
static bool find_value(const struct adreno_cs *cs, uint32_t reg, uint32_t *value_out)
{
    bool is_found = false;
    for (const uint32_t *dw = cs->start; dw < cs->dw;) {
        if (!adreno_is_pkt4(*dw)) {
            assert_true(adreno_is_pkt7(*dw));
            dw += 1 + ADRENO_PKT7_COUNT(*dw);
            continue;
        }
        const uint32_t first = ADRENO_PKT4_REG(*dw), count = ADRENO_PKT4_COUNT(*dw);
        if (reg - first < count) {
            is_found = true;
            *value_out = dw[1 + reg - first];
        }
        dw += 1 + count;
    }
    return is_found;
}

static void a_submission_begins_with_what_the_chip_wants(void **state)
{
    static uint32_t words[512];
    for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
        struct adreno_bo borders = {.vk = {.va = 0x100000}};
        struct adreno_device device = {.chip = adreno_chip_find(table[i].name)};
        device.borders.bo = &borders;
        struct adreno_cs cs;
        adreno_cs_init_fixed(&cs, words, 0x1000, ARRAY_SIZE(words));
        adreno_emit_start(&device, &cs);
        for (unsigned k = 0; k < ARRAY_SIZE(table[i].regs); k++) {
            uint32_t value;
            assert_true(find_value(&cs, table[i].regs[k].reg, &value));
            assert_int_equal(value, table[i].regs[k].value);
        }
        for (const uint32_t *dw = cs.start; dw < cs.dw;) { /* and with nothing that the kernel keeps for itself */
            const uint32_t count = adreno_is_pkt4(*dw) ? ADRENO_PKT4_COUNT(*dw) : ADRENO_PKT7_COUNT(*dw);
            for (uint32_t k = 0; adreno_is_pkt4(*dw) && k < count; k++)
                assert_true(adreno_chip_may_write(device.chip, ADRENO_PKT4_REG(*dw) + k));
            dw += 1 + count;
        }
    }
}

static void the_ccu_has_its_part_of_gmem(void **state)
{
    for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
        const struct adreno_chip *chip = adreno_chip_find(table[i].name);
        assert_int_equal(adreno_ccu_cntl_sysmem(chip), table[i].ccu_sysmem);
        assert_int_equal(adreno_ccu_cntl_gmem(chip), table[i].ccu_gmem);
        assert_int_equal(adreno_gmem_for_tiles_B(chip), table[i].gmem_for_tiles_B);
    }
}

static void a_chip_decides_what_is_advertised(void **state)
{
    for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
        const struct adreno_physical_device physical = {.chip = adreno_chip_find(table[i].name)};
        struct vk_device_extensions extensions;
        struct vk_features features;
        adreno_fill_extensions(&physical, &extensions);
        adreno_fill_features(&physical, &features);
        assert_int_equal(extensions.KHR_16bit_storage, table[i].has_storage_16bit);
        assert_int_equal(features.storageBuffer16BitAccess, table[i].has_storage_16bit);
        assert_int_equal(physical.chip->has_cached_coherent, table[i].has_cached_memory);
        assert_false(features.shaderFloat64); /* there are no doubles */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_submission_begins_with_what_the_chip_wants),
        cmocka_unit_test(the_ccu_has_its_part_of_gmem),
        cmocka_unit_test(a_chip_decides_what_is_advertised),
    };
    return cmocka_run_group_tests_name("adreno chips", tests, NULL, NULL);
}
