/* The words of --gpu and of TUFF_GPU: names of models, `real` and `all`, separated by commas. */
#include <string.h>

#include "kernel/model.h"
#include "tools/tool.h"
#include "util/nearest.h"

static const char *const not_models[] = {"all", "real", NULL};

static bool is_word(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && memcmp(word, text, length) == 0;
}

static int check_word(const struct tool_command *command, const char *text, size_t length)
{
    struct nearest nearest = nearest_begin(text, length);
    for (const char *const *word = not_models; *word; word++) {
        if (is_word(*word, text, length))
            return TOOL_OK;
        nearest_try(&nearest, *word);
    }
    const struct kernel_model_row *model;
    for (unsigned i = 0; (model = kernel_model_row(i)); i++) {
        if (is_word(model->name, text, length))
            return TOOL_OK;
        nearest_try(&nearest, model->name);
    }
    char hint[96];
    return tool_usage_error(command, "no GPU '%.*s'; `tuff info` lists them%s", (int)length, text,
                            nearest_text(&nearest, hint));
}

bool tool_gpus_name(const char *words, const char *name)
{
    for (size_t length; *words; words += length + (words[length] == ',')) {
        length = strcspn(words, ",");
        if (is_word(name, words, length))
            return true;
    }
    return false;
}

int tool_check_gpus(const struct tool_command *command, const char *words)
{
    const char *word = words;
    do {
        size_t length = strcspn(word, ",");
        int failed = check_word(command, word, length);
        if (failed)
            return failed;
        word += length;
    } while (*word++ == ',');
    return TOOL_OK;
}

int tool_check_model(const struct tool_command *command, const char *name)
{
    if (kernel_model_find(name))
        return TOOL_OK;
    struct nearest nearest = nearest_begin(name, strlen(name));
    const struct kernel_model_row *model;
    for (unsigned i = 0; (model = kernel_model_row(i)); i++)
        nearest_try(&nearest, model->name);
    char hint[96];
    return tool_usage_error(command, "no model '%s'; `tuff %s --help` lists them%s", name, command->name,
                            nearest_text(&nearest, hint));
}
