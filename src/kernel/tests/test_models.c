/* The table of models: every row is a model that can be opened, and is what its row says. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/model.h"

static void test_rows_are_found(void **state)
{
    const struct kernel_model_row *row;
    unsigned count = 0;
    for (; (row = kernel_model_row(count)); count++) {
        assert_ptr_equal(kernel_model_find(row->name), row);
        assert_true(row->gpu[0] && row->family[0]);
    }
    assert_true(count > 0);
    assert_null(kernel_model_row(count));
    assert_null(kernel_model_row(~0u));
    static const char *const nothing[] = {"", "nonsense", "all", "none", "real", ","};
    for (unsigned i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++) {
        struct kernel_file *file;
        assert_null(kernel_model_find(nothing[i]));
        assert_int_equal(kernel_open_model(nothing[i], KERNEL_NODE_RENDER, &file), -ENODEV);
    }
}

static void test_a_row_says_what_the_model_says(void **state)
{
    const struct kernel_model_row *row;
    for (unsigned i = 0; (row = kernel_model_row(i)); i++) {
        struct kernel_file *file;
        assert_int_equal(kernel_open_model(row->name, KERNEL_NODE_RENDER, &file), 0);
        assert_string_equal(file->info.model, row->name);
        assert_string_equal(file->info.driver, row->driver);
        assert_int_equal(file->info.bus, row->bus);
        kernel_close(file);
    }
}

static void test_models_have_places_of_their_own(void **state)
{
    /* Several may be in one instance, and a device is known by its place. */
    struct kernel_device_info seen[64];
    const struct kernel_model_row *row;
    for (unsigned i = 0; (row = kernel_model_row(i)) && i < 64; i++) {
        struct kernel_file *file;
        assert_int_equal(kernel_open_model(row->name, KERNEL_NODE_RENDER, &file), 0);
        seen[i] = file->info;
        kernel_close(file);
        for (unsigned k = 0; k < i; k++) {
            if (seen[k].bus != seen[i].bus)
                continue;
            if (seen[i].bus == KERNEL_BUS_PCI)
                assert_false(seen[i].pci.domain == seen[k].pci.domain && seen[i].pci.bus == seen[k].pci.bus &&
                             seen[i].pci.device == seen[k].pci.device && seen[i].pci.function == seen[k].pci.function);
            else
                assert_string_not_equal(seen[i].platform.of_fullname, seen[k].platform.of_fullname);
        }
    }
}

static void test_real_devices_are_no_models(void **state)
{
    struct kernel_device_info *devices;
    uint32_t count;
    assert_int_equal(kernel_list_devices(&devices, &count), 0);
    for (uint32_t i = 0; i < count; i++)
        assert_true(devices[i].model[0] == '\0' && (devices[i].primary_path[0] || devices[i].render_path[0]));
    free(devices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_found),
        cmocka_unit_test(test_a_row_says_what_the_model_says),
        cmocka_unit_test(test_models_have_places_of_their_own),
        cmocka_unit_test(test_real_devices_are_no_models),
    };
    return cmocka_run_group_tests_name("models", tests, NULL, NULL);
}
