/* `tuff compile`: a SPIR-V module (or a shader in the IR's own text) to machine code, as the driver would compile it,
 * with its disassembly and figures. The family's half is in its own file (compile.h). */
#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/spirv.h"
#include "kernel/model.h"
#include "tools/compile.h"
#include "util/bits.h"
#include "util/file.h"
#include "util/json.h"
#include "util/nearest.h"

/* Families that have a compiler. */
static const struct compile_family {
    bool (*find)(const char *gpu, unsigned *generation_out);
    bool (*compile)(struct ir_shader *shader, const struct compile_options *options, char error[256]);
} families[] = {
    {tool_amd_can_compile, tool_amd_compile},
    {tool_adreno_can_compile, tool_adreno_compile},
    {tool_mali_can_compile, tool_mali_compile},
};

struct request {
    struct compile_options options;
    const struct compile_family *family;
};

static bool choose_gpu(struct request *request, const char *gpu)
{
    for (unsigned i = 0; i < ARRAY_SIZE(families); i++) {
        if (families[i].find(gpu, &request->options.generation)) {
            request->family = &families[i];
            request->options.gpu = gpu;
            return true;
        }
    }
    return false;
}

/* Models whose GPU there is a compiler for, by name. */
static int refuse_gpu(const char *gpu)
{
    char known[256] = "";
    const struct kernel_model_row *row;
    for (unsigned i = 0; (row = kernel_model_row(i)); i++) {
        struct request other;
        size_t used = strlen(known);
        if (choose_gpu(&other, row->name))
            snprintf(known + used, sizeof(known) - used, "%s%s", used ? ", " : "", row->name);
    }
    return tool_usage_error(&tool_compile, "there is no compiler for '%s'; there is one for %s", gpu, known);
}

static const char *const stage_names[] = {
#define X(n) #n,
    IR_STAGES(X)
#undef X
};

static int set_stage(struct compile_options *options, const char *name)
{
    for (unsigned i = 0; i < ARRAY_SIZE(stage_names); i++) {
        if (strcmp(name, stage_names[i]) == 0) {
            options->stage = (int)i;
            return TOOL_OK;
        }
    }
    char hint[96];
    struct nearest nearest = nearest_begin(name, strlen(name));
    for (unsigned i = 0; i < ARRAY_SIZE(stage_names); i++)
        nearest_try(&nearest, stage_names[i]);
    return tool_usage_error(&tool_compile, "no stage is called '%s'%s", name, nearest_text(&nearest, hint));
}

/* TOOL_OK, or the error is printed. */
static int read_request(const struct tool_line *line, struct request *request)
{
    const char *const *values = line->values;
    const char *gpu = values[TOOL_COMPILE_GPU] ? values[TOOL_COMPILE_GPU] : kernel_model_row(0)->name;
    *request = (struct request){.options = {.wave_size = values[TOOL_COMPILE_WAVE32] ? 32 : 64,
                                            .stage = -1,
                                            .entry = values[TOOL_COMPILE_ENTRY],
                                            .show_ir = values[TOOL_COMPILE_IR],
                                            .only_figures = values[TOOL_COMPILE_FIGURES],
                                            .is_plain = values[TOOL_COMPILE_NO_OPTIMISATION],
                                            .is_legacy_vs = values[TOOL_COMPILE_LEGACY_VS],
                                            .is_json = values[TOOL_COMPILE_JSON],
                                            .path = line->operands[0]}};
    if (!choose_gpu(request, gpu))
        return refuse_gpu(gpu);
    if (values[TOOL_COMPILE_WAVE32] && values[TOOL_COMPILE_WAVE64])
        return tool_usage_error(line->command, "a wave has 32 or 64 lanes, not both");
    return values[TOOL_COMPILE_STAGE] ? set_stage(&request->options, values[TOOL_COMPILE_STAGE]) : TOOL_OK;
}

/* ---- printing ---- */

static void add_lines(struct json *json, const char *key, const char *text)
{
    json_array(json, key);
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        json_string_n(json, NULL, text, length);
    }
    json_end(json);
}

void tool_print_compiled(const struct ir_shader *shader, const struct compile_options *options,
                         const struct compile_result *result)
{
    const char *ir = options->show_ir ? result->ir : NULL;
    if (!options->is_json) {
        fputs(ir ? ir : "", stdout);
        fputs(result->code ? result->code : "", stdout);
        fputs(result->figures_text, stdout);
        return;
    }
    struct json json = {.is_line = false};
    json_object(&json, NULL);
    json_string(&json, "file", options->path);
    json_string(&json, "gpu", options->gpu);
    json_string(&json, "stage", stage_names[shader->stage]);
    json_object(&json, "figures");
    for (unsigned i = 0; i < result->figure_count; i++)
        json_number(&json, result->figures[i].name, result->figures[i].value);
    json_end(&json);
    if (!options->only_figures)
        add_lines(&json, "code", result->code ? result->code : "");
    if (ir)
        add_lines(&json, "ir", ir);
    json_end(&json);
    tool_print_json(&tool_compile, &json);
}

/* ---- reading ---- */

static struct ir_shader *read_text(const char *data, size_t size_B)
{
    char error[256], *text = malloc(size_B + 1);
    if (!text)
        return NULL;
    memcpy(text, data, size_B);
    text[size_B] = '\0';
    struct ir_shader *shader = ir_parse(text, error);
    if (!shader)
        tool_error(&tool_compile, "%s", error);
    free(text);
    return shader;
}

/* Execution models are numbered as the stages of the pipeline, compute last; those of rays are numbers of their own.
 * -1: another. */
static int stage_of_model(uint32_t model)
{
    static const enum ir_stage stages[] = {IR_STAGE_vertex,   IR_STAGE_tess_control, IR_STAGE_tess_eval,
                                           IR_STAGE_geometry, IR_STAGE_fragment,     IR_STAGE_compute};
    static const enum ir_stage ray_stages[] = {IR_STAGE_raygen,      IR_STAGE_intersection, IR_STAGE_any_hit,
                                               IR_STAGE_closest_hit, IR_STAGE_miss,         IR_STAGE_callable};
    enum {
        MODEL_RAY_GENERATION = 5313
    };
    if (model < ARRAY_SIZE(stages))
        return (int)stages[model];
    return model - MODEL_RAY_GENERATION < ARRAY_SIZE(ray_stages) ? (int)ray_stages[model - MODEL_RAY_GENERATION] : -1;
}

/* The stage of the first entry point of that name (NULL: "main"), so that a module that is refused is refused for its
 * own reason; -1 where there is none. */
static int find_stage(const uint32_t *words, size_t count, const char *entry)
{
    enum {
        HEADER_DW = 5,
        OP_ENTRY_POINT = 15
    };
    for (size_t at = HEADER_DW; at < count;) {
        size_t length = words[at] >> 16;
        if (length == 0 || length > count - at)
            break;
        const char *name = (const char *)&words[at + 3];
        if ((words[at] & 0xffff) == OP_ENTRY_POINT && length > 3 && stage_of_model(words[at + 1]) >= 0 &&
            strncmp(name, entry ? entry : "main", (length - 3) * 4) == 0)
            return stage_of_model(words[at + 1]);
        at += length;
    }
    return -1;
}

static struct ir_shader *read_module(const char *data, size_t size_B, const struct compile_options *options)
{
    struct spirv_error error = {.text = ""};
    const uint32_t *words = (const uint32_t *)data;
    int stage = options->stage >= 0 ? options->stage : find_stage(words, size_B / 4, options->entry);
    struct spirv_options spirv = {.stage = stage >= 0 ? (enum ir_stage)stage : IR_STAGE_compute,
                                  .entry = options->entry};
    struct ir_shader *shader = spirv_to_ir(words, size_B / 4, &spirv, &error);
    if (!shader)
        tool_error(&tool_compile, "word %u: %s", error.word, error.text);
    return shader;
}

int tool_compile_run(const struct tool_line *line)
{
    struct request request;
    const char *path = line->operands[0];
    int failed = read_request(line, &request);
    if (failed)
        return failed;
    char *data, error[256];
    size_t size_B;
    int file_error = file_read(path, &data, &size_B);
    if (file_error) {
        tool_error(&tool_compile, "%s: %s", path, strerror(-file_error));
        return TOOL_FAILED;
    }
    bool is_text = size_B >= 6 && memcmp(data, "shader", 6) == 0;
    struct ir_shader *shader = is_text ? read_text(data, size_B) : read_module(data, size_B, &request.options);
    free(data);
    if (!shader)
        return TOOL_FAILED;
    bool ok = request.family->compile(shader, &request.options, error);
    if (!ok)
        tool_error(&tool_compile, "%s: %s", path, error);
    ir_shader_destroy(shader);
    return ok ? tool_finish_output(&tool_compile) : TOOL_FAILED;
}
