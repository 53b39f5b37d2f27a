/* The words of --gpu and of TUFF_GPU: names of models, `real` and `all`, separated by commas. */
#include <string.h>

#include "kernel/model.h"
#include "tools/tool.h"

static bool is_known(const char *word, size_t length)
{
    static const char *const others[] = {"all", "real", NULL};
    for (const char *const *other = others; *other; other++) {
        if (strlen(*other) == length && memcmp(*other, word, length) == 0)
            return true;
    }
    const struct kernel_model_row *model;
    for (unsigned i = 0; (model = kernel_model_row(i)); i++) {
        if (strlen(model->name) == length && memcmp(model->name, word, length) == 0)
            return true;
    }
    return false;
}

bool tool_gpus_name(const char *words, const char *name)
{
    size_t wanted = strlen(name);
    for (size_t length; *words; words += length + (words[length] == ',')) {
        length = strcspn(words, ",");
        if (length == wanted && memcmp(words, name, length) == 0)
            return true;
    }
    return false;
}

int tool_check_gpus(const struct tool_command *command, const char *words)
{
    const char *word = words;
    do {
        size_t length = strcspn(word, ",");
        if (!is_known(word, length))
            return tool_usage_error(command, "no GPU '%.*s'; `tuff info` lists them", (int)length, word);
        word += length;
    } while (*word++ == ',');
    return TOOL_OK;
}
