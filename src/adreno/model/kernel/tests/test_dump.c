/* The msm kernel model: dumps of lost jobs in the kernel's form, and captures of streams. */
#include <dirent.h>
#include <stdio.h>

#include "adreno/hw/decode.h"
#include "adreno/model/kernel/tests/rig.h"

#define MINUTE_MS 60000

static char folder[64];

/* The one file of the folder whose name begins so, as text, and it is no more. */
static char *take_file(const char *prefix, size_t *size_B_out)
{
    char path[400] = "";
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
    }
    closedir(listing);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("no file %s*", prefix);
    char *text = calloc(1, 1 << 20);
    *size_B_out = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    unlink(path);
    return text;
}

/* Skips to the text after some words. */
static const char *after(const char *text, const char *words)
{
    const char *found = strstr(text, words);
    if (!found)
        fail_msg("no '%s' in\n%s", words, text);
    return found + strlen(words);
}

/* The n-th word of a line of ascii85. */
static uint32_t word_at(const char *line, unsigned index)
{
    for (;; index--) {
        uint32_t word = 0;
        if (*line == 'z')
            line++;
        else
            for (unsigned i = 0; i < 5; i++)
                word = word * 85 + (uint32_t)(*line++ - '!');
        if (index == 0)
            return word;
    }
}

static void lose_a_job(struct rig *rig)
{
    uint32_t start;
    assert_int_equal(rig_set_param(rig, MSM_PARAM_COMM, (uintptr_t) "loser", 5), 0);
    struct drm_msm_gem_info name = {
        .handle = rig->bo, .info = MSM_INFO_SET_NAME, .value = (uintptr_t) "streams", .len = 7};
    assert_int_equal(rig_ioctl(rig, DRM_IOCTL_MSM_GEM_INFO, &name), 0);
    rig_stream_begin(rig, &start);
    rig_put(rig, 0);
    rig_put(rig, 0);
    rig_write(rig, VA + (7ull << 30), 0xabcd);
    struct drm_msm_gem_submit args = {0};
    assert_int_equal(rig_submit(rig, start, &args), 0);
    assert_int_equal(rig_wait(rig, 0, args.fence, MINUTE_MS), 0);
}

static void test_a_lost_job_leaves_a_dump(void **state)
{
    struct rig rig = rig_open();
    size_t size_B;
    lose_a_job(&rig);
    char *dump = take_file("tuff-crash-", &size_B);
    const char *at = after(dump, "---\nkernel: ");
    at = after(at, "\nmodule: msm\n");
    at = after(at, "comm: loser\n");
    at = after(at, "revision: 0 (6.3.5.0)\n");
    at = after(at, "report: |\n  a report\n  of two lines\n");
    at = after(at, "fault-info:\n");
    at = after(at, "ringbuffer:\n  - id: 0\n    iova: 0x0000000001000000\n");
    at = after(at, "    rptr: 4\n    wptr: 4\n    size: 32768\n    data: !!ascii85 |\n     ");
    assert_int_equal(word_at(at, 0), 0x70bf8003); /* CP_INDIRECT_BUFFER */
    assert_int_equal(word_at(at, 1), (uint32_t)rig.va);
    assert_int_equal(word_at(at, 2), (uint32_t)(rig.va >> 32));
    assert_int_equal(word_at(at, 3), 6);
    at = after(at, "bos:\n  - iova: 0x0000000100000000\n    size: 8192\n    flags: 0x20000\n    name: streams ");
    at = after(at, "    data: !!ascii85 |\n     ");
    assert_int_equal(word_at(at, 0), 0);
    assert_int_equal(word_at(at, 2), 1);
    assert_int_equal(word_at(at, 5), 0xabcd);
    at = after(at, "registers:\n");
    at = after(at, "  - { offset: 0x2000, value: 0x01000000 }\n"); /* CP_RB_BASE */
    at = after(at, "  - { offset: 0x2004, value: 0x00000000 }\n"); /* and its upper half */
    at = after(at, "  - { offset: 0x24a4, value: 0x00000001 }\n"); /* CP_IB1_BASE, high */
    at = after(at, "  - { offset: 0x24a8, value: 0x00000004 }\n"); /* CP_IB1_REM_SIZE: from the packet on */
    at = after(at, "  - { offset: 0x20000, value: 0x00001234 }\n");
    assert_string_equal(at, "indexed-registers:\n");
    free(dump);
    free(take_file("tuff-", &size_B));
    rig_close(&rig);
}

static void test_streams_are_captured_with_their_buffers(void **state)
{
    struct rig rig = rig_open();
    uint32_t start, other = rig_bo(&rig, PAGE, MSM_BO_WC);
    size_t size_B;
    rig_stream_begin(&rig, &start);
    rig_put(&rig, 0x70268000); /* CP_WAIT_FOR_IDLE, and nothing to the toy GPU */
    struct drm_msm_gem_submit_bo bos[] = {{.flags = RW, .handle = rig.bo}, {.flags = RW, .handle = other}};
    struct drm_msm_gem_submit args = {.nr_bos = 2, .bos = (uintptr_t)bos};
    assert_int_equal(rig_submit(&rig, start, &args), 0);
    assert_int_equal(rig_wait(&rig, 0, args.fence, MINUTE_MS), 0);
    char *capture = take_file("tuff-", &size_B);
    assert_true(adreno_is_capture(capture, size_B));
    /* Contents of the buffer that has the stream, and of the other one only its place. */
    assert_true(size_B > 2 * PAGE && size_B < 3 * PAGE);
    struct strbuf text = {0};
    const struct hw_decode_options options = {0};
    assert_int_equal(adreno_decode_capture(&text, &options, capture, size_B), 0);
    after(text.text, "CP_WAIT_FOR_IDLE");
    strbuf_finish(&text);
    free(capture);
    rig_close(&rig);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    snprintf(folder, sizeof(folder), "/tmp/tuff-dump-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    setenv("TUFF_DEBUG", "crash,rd", 1);
    setenv("TUFF_DUMP", folder, 1);
    const struct CMUnitTest tests[] = {
        CASE(test_a_lost_job_leaves_a_dump),
        CASE(test_streams_are_captured_with_their_buffers),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
