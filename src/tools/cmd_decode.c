/* `tuff decode`: prints a command stream, or the streams of a capture. The text comes from the family's hw room. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/hw/chip.h"
#include "adreno/hw/decode.h"
#include "amd/hw/decode.h"
#include "kernel/model.h"
#include "mali/hw/chip.h"
#include "mali/hw/decode.h"
#include "tools/decode_json.h"
#include "tools/tool.h"
#include "util/file.h"

/* How a family decodes. */
struct decode_family {
    bool (*find)(const char *gpu, unsigned *generation_out);
    unsigned (*decode)(struct strbuf *out, const struct hw_decode_options *options, const uint32_t *words,
                       size_t count_dw);
    /* For files that hold more than a stream; NULL: there are none. */
    bool (*is_capture)(const void *bytes, size_t size_B);
    unsigned (*decode_capture)(struct strbuf *out, const struct hw_decode_options *options, const void *bytes,
                               size_t size_B);
    bool has_sdma;
};

static bool find_radeon(const char *gpu, unsigned *generation_out)
{
    enum amd_gfx gfx;
    bool found = amd_gfx_find(gpu, &gfx);
    if (found)
        *generation_out = gfx;
    return found;
}

static bool find_adreno(const char *gpu, unsigned *generation_out)
{
    *generation_out = 0;
    return adreno_chip_find(gpu) != NULL;
}

static bool find_mali(const char *gpu, unsigned *generation_out)
{
    *generation_out = 0;
    return mali_chip_find(gpu) != NULL;
}

static const struct decode_family families[] = {
    {find_radeon, amd_decode_stream, NULL, NULL, true},
    {find_adreno, adreno_decode_stream, adreno_is_capture, adreno_decode_capture, false},
    {find_mali, mali_decode_stream, mali_is_capture, mali_decode_capture, false},
};

enum {
    PROBLEMS_MAX = 100
};

struct problem {
    uint64_t offset_B;
    char message[256];
};

struct decode_request {
    const char *path, *gpu;
    const struct decode_family *family;
    struct hw_decode_options options;
    bool is_json;
    struct problem problems[PROBLEMS_MAX]; /* the first, for --json */
    unsigned problem_count;
};

static bool choose_gpu(struct decode_request *request, const char *gpu)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        unsigned generation;
        if (families[i].find(gpu, &generation)) {
            request->family = &families[i];
            request->options.generation = generation;
            return true;
        }
    }
    return false;
}

static void print_problem(void *data, uint64_t va, uint64_t offset_B, const char *message)
{
    struct decode_request *request = data;
    (void)va;
    tool_error(&tool_decode, "offset 0x%" PRIx64 ": %s", offset_B, message);
    if (request->problem_count < PROBLEMS_MAX) {
        struct problem *problem = &request->problems[request->problem_count];
        problem->offset_B = offset_B;
        snprintf(problem->message, sizeof(problem->message), "%s", message);
    }
    request->problem_count++;
}

static void write_text(void *data, struct strbuf *out)
{
    (void)data;
    if (out->length)
        fwrite(out->text, 1, out->length, stdout);
    strbuf_clear(out);
}

/* TOOL_OK, or the error is printed. */
static int read_request(const struct tool_line *line, struct decode_request *request)
{
    const char *gpu = line->values[TOOL_DECODE_GPU] ? line->values[TOOL_DECODE_GPU] : kernel_model_row(0)->name;
    *request = (struct decode_request){
        .path = line->operands[0],
        .gpu = gpu,
        .is_json = line->values[TOOL_DECODE_JSON],
        .options = {.all_fields = line->values[TOOL_DECODE_ALL],
                    .policies = line->values[TOOL_DECODE_POLICY],
                    .problem = print_problem,
                    .flush = write_text},
    };
    if (!choose_gpu(request, gpu))
        return tool_bad_gpu(&tool_decode, gpu);
    if (line->values[TOOL_DECODE_SDMA]) {
        if (!request->family->has_sdma)
            return tool_usage_error(&tool_decode, "this GPU has no streams of a DMA engine");
        request->options.stream = AMD_STREAM_SDMA;
    }
    return TOOL_OK;
}

/* The file's bytes as dwords of this machine, whatever its byte order. */
static uint32_t *to_dwords(const char *bytes, size_t count_dw)
{
    uint32_t *words = malloc(count_dw ? count_dw * sizeof(*words) : 1);
    for (size_t i = 0; words && i < count_dw; i++) {
        const unsigned char *b = (const unsigned char *)bytes + 4 * i;
        words[i] = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    }
    return words;
}

static unsigned decode_stream(struct strbuf *out, const struct decode_request *request, const char *bytes,
                              size_t size_B)
{
    const size_t count_dw = size_B / 4;
    uint32_t *words = to_dwords(bytes, count_dw);
    out->failed |= !words;
    unsigned problems = words ? request->family->decode(out, &request->options, words, count_dw) : 0;
    free(words);
    return problems;
}

/* Faults of the file itself. Returns their number. */
static unsigned check_file(struct decode_request *request, const char *bytes, size_t size_B)
{
    char message[128];
    if (size_B >= 2 && (unsigned char)bytes[0] == 0x1f && (unsigned char)bytes[1] == 0x8b)
        tool_error(&tool_decode, "%s seems to be compressed: try `zcat FILE | tuff decode -`", request->path);
    if (size_B && size_B % 4 == 0)
        return 0;
    if (size_B)
        snprintf(message, sizeof(message), "the last dword is cut off: %zu bytes of 4 are there", size_B % 4);
    else
        snprintf(message, sizeof(message), "the file is empty");
    print_problem(request, 0, size_B / 4 * 4, message);
    return 1;
}

static int print_json(struct decode_request *request, const char *text)
{
    struct json json = {.is_line = false};
    json_object(&json, NULL);
    json_string(&json, "file", request->path);
    json_string(&json, "gpu", request->gpu);
    tool_decode_json(&json, text);
    json_array(&json, "problems");
    for (unsigned i = 0; i < request->problem_count && i < PROBLEMS_MAX; i++) {
        json_object(&json, NULL);
        json_number(&json, "offset", request->problems[i].offset_B);
        json_string(&json, "message", request->problems[i].message);
        json_end(&json);
    }
    json_end(&json);
    json_number(&json, "problem_count", request->problem_count);
    json_end(&json);
    return tool_print_json(&tool_decode, &json);
}

static int decode_bytes(struct decode_request *request, const char *bytes, size_t size_B)
{
    struct strbuf out = {0};
    unsigned problems;
    request->options.data = request;
    if (request->is_json)
        request->options.flush = NULL;
    if (request->family->is_capture && request->family->is_capture(bytes, size_B))
        problems = request->family->decode_capture(&out, &request->options, bytes, size_B);
    else
        problems = decode_stream(&out, request, bytes, size_B) + check_file(request, bytes, size_B);
    int printed = TOOL_OK;
    if (out.failed)
        tool_error(&tool_decode, "out of memory");
    else if (request->is_json)
        printed = print_json(request, out.text ? out.text : "");
    else
        write_text(NULL, &out);
    bool failed = out.failed || problems;
    strbuf_finish(&out);
    return failed ? TOOL_FAILED : printed;
}

int tool_decode_run(const struct tool_line *line)
{
    struct decode_request request;
    int status = read_request(line, &request);
    if (status != TOOL_OK)
        return status;
    char *bytes;
    size_t size_B;
    int error = file_read(request.path, &bytes, &size_B);
    if (error) {
        tool_error(&tool_decode, "%s: %s", request.path, strerror(-error));
        return TOOL_FAILED;
    }
    status = decode_bytes(&request, bytes, size_B);
    free(bytes);
    int output_status = tool_finish_output(&tool_decode);
    return status != TOOL_OK ? status : output_status;
}
