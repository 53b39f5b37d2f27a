/* Names of formats, for the tables' text. The rows are generated from formats.table. */
#include "mali/hw/table.h"

const char *mali_format_name(unsigned generation, unsigned number)
{
    const struct mali_format *format = mali_format_find(number);
    (void)generation;
    return format ? format->name : NULL;
}
